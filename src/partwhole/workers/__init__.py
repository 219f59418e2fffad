"""Work that splits: the same function for many tasks, by processes of this machine or by a Ray cluster."""
