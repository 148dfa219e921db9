"""What is known of one VM, and how it is read."""
