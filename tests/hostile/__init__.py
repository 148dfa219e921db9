"""Attacks: what a target, or whoever answers in its place, must not achieve."""
