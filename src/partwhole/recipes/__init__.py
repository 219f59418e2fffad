"""What the default vector of a graph is made from."""
