"""The folder that keeps a fit, and what is read from it again."""
