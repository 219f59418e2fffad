"""Numbers without graphs: segments, hashes, refinement of colours, main directions, seeds."""
