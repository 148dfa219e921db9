"""Letting the target run, and making it stop: resume, pause, steps, until, forced returns and popped frames."""
