"""The heap."""
