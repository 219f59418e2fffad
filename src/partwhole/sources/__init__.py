"""Where graphs come from: one file a source, each a `Source` that `load_graphs` asks in turn."""
