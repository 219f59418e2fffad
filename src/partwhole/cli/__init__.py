"""The command line: one file a command. Heavy imports wait until the command runs."""
