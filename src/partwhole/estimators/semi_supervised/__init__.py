"""Few labels, many graphs: a supervised loss beside one that needs no labels (Eq. 18)."""
