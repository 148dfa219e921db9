"""The modules of the target (Java 9).

* ``modules``: the component ``session.modules``; reads, exports, opens, uses and provides added now
* ``reading``: all about modules, from the fields of java.lang.Module and ModuleDescriptor
"""
