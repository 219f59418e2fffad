"""Parts of graphs that mean the same in every graph of a collection."""
