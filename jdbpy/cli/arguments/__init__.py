"""Argument types: how each kind of argument is parsed and completed."""
