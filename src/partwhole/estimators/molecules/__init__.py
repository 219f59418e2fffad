"""Encoders of molecules: what a network learns of them, beside what can be said exactly."""
