"""Backbones: Eq. 1, X^(0) [n, d] to the list X^(1) … X^(L), each [n, d].

A backbone is a module built with `hidden` and `layers`, and called with `(x0, batch)`.
"""
