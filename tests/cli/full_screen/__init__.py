"""Tests of the full screen: models of panes as units, and jdbpy on a pseudo-terminal with a screen model (pyte)."""
