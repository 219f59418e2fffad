"""Structure attributes: what the shape of a graph says about each node.

They are further kinds of node attribute for attribute-conv (the text after Eq. 4). Each file is
one: a function of a store to one number per node [N], which depends on the node's own graph only.
"""
