"""Ways to a session."""
