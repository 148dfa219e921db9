"""What a class is made of: its constant pool and its bytecode, disassembled as ``javap`` shows it.

* ``opcodes`` are the names of the instructions; ``operands`` puts what they work on into words; both are pure.
* ``model`` is the plain data for front ends, public as ``jdbpy.code``; ``component`` is what the session shows.
"""

from jdbpy.session.code.model import ConstantPoolListing, Disassembly, Instruction, PoolEntry, SwitchCase

__all__ = ["ConstantPoolListing", "Disassembly", "Instruction", "PoolEntry", "SwitchCase"]
