"""Numbers without graphs: segments of rows, hashes, main directions."""
