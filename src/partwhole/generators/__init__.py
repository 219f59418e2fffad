"""Subgraph generators: node vectors to membership [S, n].

A generator is a module built with `hidden`, `num_subgraphs` and `selection`, called with
`(x, batch)`. Everything after it is written once, for any of them.
"""
