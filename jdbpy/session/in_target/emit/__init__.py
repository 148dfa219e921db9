"""Expressions as bytecode: what conditions and logpoints inside the target consist of. Pure, but for the class graph.

* ``expressions``: the way in, ``emit`` and ``emit_values``: whole expressions, guarded against themselves or not
* ``emitter``: which operations have bytecode, and control flow
* ``operators``: numbers: constants, arithmetic, comparisons, conversions
* ``members``: fields, methods, constructors: reached directly where the helper may, else through method handles
* ``refusals``: the expressions that stay outside, ``NotInTarget``, and the reason

The type that the verifier knows of a value may be wider than its static type: variables come in as Object. Each
operation says what it leaves on the stack, and those that need more cast it, as compiled Java does with generic types.
"""
