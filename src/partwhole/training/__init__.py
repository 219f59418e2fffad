"""Training: what is optimised, the loop, and what is kept on disk."""
