"""Stacks and the variables of frames."""
