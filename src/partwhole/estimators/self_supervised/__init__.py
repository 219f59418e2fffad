"""What the compared methods that train a network without labels share."""
