"""Losses: tensors in, a scalar out. Which pairs count is decided in `head_tail`, apart."""
