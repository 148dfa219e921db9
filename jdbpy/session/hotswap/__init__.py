"""Hot swap."""
