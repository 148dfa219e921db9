"""Source files."""
