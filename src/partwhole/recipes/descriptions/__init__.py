"""Descriptions: what can be said of a graph exactly, without learning anything.

Each file is one: a function of a store to blocks [graphs, width], whose rows depend on their own graph only
and are the same in every store. The recipe `best` sums them up beside what the network has learned.
"""
