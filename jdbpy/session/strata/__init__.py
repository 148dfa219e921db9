"""Source maps of classes that were compiled from something else than Java (JSR 45): Kotlin, JSP, Scala.

* ``smap`` reads the map; ``lines`` looks at a method's line table through it. Both are pure.
* ``model`` is the plain data for front ends, public as ``jdbpy.strata``.
* ``component`` is what the session shows: which stratum is looked through, and the map of a class.
"""

from jdbpy.session.strata.model import SourceDebug, StratumChoice, StratumInfo, StratumSource

__all__ = ["SourceDebug", "StratumChoice", "StratumInfo", "StratumSource"]
