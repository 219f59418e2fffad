"""More than one process: those that train one model together, and those that share out work."""
