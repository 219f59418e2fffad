"""Where graphs come from: one file a source.

A source is registered in `SOURCES` as a pair of functions: does it read this object, and read
it. `partwhole.sources.loading.load_graphs` asks each in turn.
"""
