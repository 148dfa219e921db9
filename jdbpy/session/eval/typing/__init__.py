"""The rules of the Java language as far as expressions need them. Pure but for the facts that ``class_graph`` asks for.

* ``class_graph``: the classes that an expression meets, and the relations between types
* ``conversions``: which type becomes which, where (JLS 5)
* ``overloads``: which of several methods a call means (JLS 15.12.2)
"""
