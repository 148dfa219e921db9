"""The modules of the target (Java 9): ``session.modules``.

* ``component``: what front ends call
* ``reading``: all about modules, from the fields of java.lang.Module and ModuleDescriptor
* ``later``: what was added to modules after they were defined, also by options like --add-opens
* ``changes``: reads, exports, opens, uses and provides added now
"""
