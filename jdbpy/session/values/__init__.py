"""From objects to what is shown."""
