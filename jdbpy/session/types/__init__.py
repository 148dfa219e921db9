"""What is known about the types of the target: names, signatures, facts asked for once, places in code."""
