"""A run as a local web page and an HTTP service."""
