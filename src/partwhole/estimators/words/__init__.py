"""Graphs as texts: words from colours and walks, and vectors of words and documents by gensim."""
