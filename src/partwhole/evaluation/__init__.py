"""How good are the vectors: classifiers on frozen embeddings, by stated protocols."""
