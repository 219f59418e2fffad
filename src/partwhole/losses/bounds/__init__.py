"""Lower bounds of mutual information from scores of positive and negative pairs.

A bound is a function `(positive, *negatives) -> scalar`, to be maximised. It never sees a
mask: it is given the scores that count. Each further set of negatives is an expectation of its
own, of equal weight (Eq. 17).
"""
