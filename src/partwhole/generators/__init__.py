"""Subgraph generators: node vectors to membership [S, rows].

A generator is a module built with `hidden`, `num_subgraphs` and `selection`, called with the node
vectors X_G. Everything after it is written once, for any of them.
"""
