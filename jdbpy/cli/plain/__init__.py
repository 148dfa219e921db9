"""The plain renderer: what a person reads in a log, a pipe, or a terminal without colors."""
