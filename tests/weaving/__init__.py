"""Weaving shown to be right: whole programs with a call at every line, verified, run and compared."""
