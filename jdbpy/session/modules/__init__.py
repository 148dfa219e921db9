"""The modules of the target (Java 9).

* ``modules``: the component ``session.modules``
* ``reading``: all about modules, from the fields of java.lang.Module and ModuleDescriptor
* ``changes``: reads, exports, opens, uses and provides added now
"""
