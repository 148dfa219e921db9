"""The three ways to a session, and what they need: addresses, a JVM of our own, the first words with it."""
