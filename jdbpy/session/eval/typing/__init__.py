"""Types at work."""
