"""Plain public data."""
