"""Resuming, suspending, stepping."""
