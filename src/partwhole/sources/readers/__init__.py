"""One file a kind of input; loading asks them in the order that they declare."""
