"""The tables of the paper: which cells they have, how each is run and kept, what they show."""
