"""Hot swap: classes of a running target replaced by what was compiled meanwhile.

* ``class_file`` reads class files; ``shape`` puts a class, of a file or of the target, into a form in which two can be
  compared; ``differences`` compares them. All three are pure.
* ``files`` finds class files, ``compiler`` makes them of source; ``refusals`` explains why the VM will not have one.
* ``model`` is the plain data for front ends, public as ``jdbpy.hotswap``; ``component`` is what the session shows.
"""

from jdbpy.session.hotswap.model import RedefinedClass, Redefinition

__all__ = ["RedefinedClass", "Redefinition"]
