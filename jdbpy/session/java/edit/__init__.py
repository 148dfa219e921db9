"""Class files changed: code that moves apart, bytecode assembled. Pure: bytes and records in, bytes out.

* ``class_parts``: class files to be written; ``code_variable``: variables of methods, as changed code reads them
* ``assembler``: bytecode from instructions with labels
* ``code_shift``: one Code attribute whose instructions move apart: jumps, switches, tables; ``stack_maps``: its frames
* ``rebuilt``: a class file made of what an agent tells of a class, for reading
* ``slots``: which local variables have a value where
"""
