"""The colored renderer: the plain texts, drawn with rich for a terminal. rich is imported here only."""
