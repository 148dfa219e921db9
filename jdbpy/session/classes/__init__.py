"""The loaded classes, for people: found by name, listed, described.

* ``component`` is what the session shows; ``records`` puts what the agent tells into Java's words; ``loaders`` names
  class loaders. The facts come from ``session.types``.
"""

from jdbpy.session.classes.component import Classes

__all__ = ["Classes"]
