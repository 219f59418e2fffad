"""Lifted execution: run a batch on classes of nodes that provably have equal vectors.

Two nodes with the same colour after k rounds of colour refinement (Weisfeiler-Lehman, started from
equal attributes) have the same vector after k layers, in any graph. So layer k needs one row per
colour; its neighbour sum is a sparse product with multiplicities; BatchNorm weighs rows by class
size; readouts weigh them by how often a graph has them. Nothing is approximated.
"""
