"""The loaded classes, for people: found by name, listed, described.

* ``component`` is what the session shows: ``listing`` makes the list of all, ``details`` finds and describes single
  ones, which ``records`` puts into Java's words; ``loaders`` names class loaders. The facts are ``session.types``'.
"""

from jdbpy.session.classes.component import Classes

__all__ = ["Classes"]
