"""The loaded classes: found by name, listed, described; their code and source maps.

* ``classes``: the component ``session.classes``; ``listing``: the list of all, fast
* ``details``: single classes; ``origin``: their loaders and archives; ``records``: all of it in Java's words
* ``code``: the component ``session.code``: constant pools, methods disassembled
* ``strata``: the component ``session.strata``: through which stratum lines are seen
"""
