"""One file a way to learn from graphs without labels, beside the supervised loss."""
