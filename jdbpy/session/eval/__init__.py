"""Java expressions evaluated in a stopped frame. Nothing here is imported before the first expression is evaluated.

* ``evaluator``: the way in: text in, an operand out; ``conditions``: those that are asked at every hit
* ``target``: the protocol through which the evaluator sees a stopped program, ``EvalTarget``
* ``operands``: values as the evaluator computes with them, those that a script gives too
* ``variables``, ``saved``: ``$name``
* ``program``: a text compiled once and run as often as needed
* ``api``: the component ``session.values``: expressions with their values described
* ``utility_calls``: methods of the JDK that the debugger runs on its own account

From text to value:

* ``syntax``: text -> the evaluator's own tree (tree-sitter's grammar, literals, the debugger's additions)
* ``typing``: the rules of the language: classes, conversions, overloads
* ``compile``: tree -> operations: every name and type is resolved before anything runs
* ``ops``: operations: what reads, computes, calls and assigns
* ``jvm``: the target of it all: one frame of a stopped thread of a session
* ``javac``: lambdas and anonymous classes that the target itself must run
"""
