"""Data sets by name: where they are found, and what is made up."""
