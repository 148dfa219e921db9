"""Every message of JDWP, one declaration each, one module per command set.

Names are the specification's: the module is the command set's name in snake case, the class is the command's, its
fields keep their spelling, and ``<Command>Reply`` is what answers it (``Empty`` when there is no data). A repeat of one
field is a list of plain values; a repeat of several is a list of Records with the name of the specification's group
(``...WithGeneric`` and the like where one module would have two of the same name).

A module is imported when it is needed: ``from jdbpy.wire.messages import thread_reference``.
"""
