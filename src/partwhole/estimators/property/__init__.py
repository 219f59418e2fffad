"""A property from few labels: heads on vectors that stay as they are, and the choice among them."""
