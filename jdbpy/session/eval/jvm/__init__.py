"""The evaluator's target over a real session: one frame of a stopped thread of a JVM."""
