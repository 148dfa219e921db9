"""Source maps of classes that were compiled from something else than Java (JSR 45): Kotlin, JSP, Scala.

* ``smap`` reads the map; ``lines`` looks at a method's line table through it. Both are pure.
* ``component`` is what the session shows: which stratum is looked through, and the map of a class.
"""
