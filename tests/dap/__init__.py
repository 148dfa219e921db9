"""The debug adapter: a strict client over pipes, real JVMs."""
