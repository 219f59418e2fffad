"""Graphs as arrays: one graph, a batch, a whole store, and what their columns mean."""
