"""The VM."""
