"""Operations: what a compiled expression consists of. Each has a static type and runs against an ``EvalTarget``.

* ``base``: what an operation is, and the state of one evaluation
* ``read``, ``assign``, ``calls``: the target read, changed, run; ``intrinsics``: methods worked out, not run
* ``values``, ``convert``: operands made into something else
* ``operators``, ``flow``: operators and statements
* ``sequences``, ``sequence_methods``: slices, filters and their methods
"""
