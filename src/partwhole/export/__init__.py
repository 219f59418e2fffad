"""From a model to files: vectors, predictions, nearest neighbours, groups."""
