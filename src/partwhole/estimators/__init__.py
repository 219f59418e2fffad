"""The estimators with scikit-learn's face, and what they are made of."""
