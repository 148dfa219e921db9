"""The fast codec: Python source written from a message's layout, one function a message and direction.

Owns code generation. Neighboring fields of fixed width become one ``struct`` call, records of fixed width are read
with ``iter_unpack``. Nothing is written before a message is first used. The source stays visible: tracebacks and
debuggers show it, and ``python -m jdbpy.wire.codegen ThreadReference.Frames`` prints it.

* ``decoder``, ``encoder``: the two directions; ``values``: parts whose width only the tag in the data gives
"""

from __future__ import annotations

from jdbpy.wire.codegen.decoder import Decode, make_decoder
from jdbpy.wire.codegen.encoder import Encode, make_encoder
from jdbpy.wire.codegen.source import source_of

__all__ = ["Decode", "Encode", "make_decoder", "make_encoder", "source_of"]
