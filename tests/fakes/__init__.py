"""Targets that are no JVM, for races and faults that none produces on demand. Start with ``tests.fakes.jvm``."""
