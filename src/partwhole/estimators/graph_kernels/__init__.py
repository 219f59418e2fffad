"""Graphs compared with graphs: kernels by counting patterns, and kernels pair by pair."""
