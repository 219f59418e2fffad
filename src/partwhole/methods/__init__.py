"""One file a method: one row of the results tables. Ours is not special."""
