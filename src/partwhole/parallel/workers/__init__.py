"""Work that splits: the same function for many tasks, by processes of this machine or by a Ray cluster."""

LOCAL = "local"  # in place of an address: a cluster of this machine, which ends with the command
