"""Readers: one file a kind of input."""

# Who is asked first: the first that accepts the data reads it. Readers of users are asked before all of
# these, and a reader of this folder that is not listed here is asked after them.
ASKED_IN_ORDER = (
    "edge-table",
    "molecule-table",
    "molecules",
    "network-files",
    "networks",
    "pickles",
    "pyg",
    "qm9",
    "saved",
    "sdf",
    "smiles-file",
    "tu",
)
