"""Neural operators: layers, readouts, backbones."""
