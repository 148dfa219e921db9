"""The constant pool of a class file, as ``ReferenceType.ConstantPool`` sends it (JVMS 4.4), without its count.

Pure. Only what the session needs: the names of the classes that a class mentions.
"""

from __future__ import annotations

import struct

_UTF8, _LONG, _DOUBLE, _CLASS = 1, 5, 6, 7

_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""Bytes that follow the tag; an entry of kind 1 tells its own length."""


def class_names(count: int, data: bytes) -> frozenset[str] | None:
    """Java names of all classes in the pool: of members, of those that are used, of all that is nested in it.

    ``count`` is one more than the highest index. None when the pool has an entry that we do not know.
    """
    texts: dict[int, bytes] = {}
    classes: list[int] = []
    index, offset = 1, 0
    try:
        while index < count:
            tag = data[offset]
            if tag == _UTF8:
                [length] = struct.unpack_from(">H", data, offset + 1)
                texts[index] = data[offset + 3 : offset + 3 + length]
                offset += 3 + length
            else:
                if tag == _CLASS:
                    classes.append(*struct.unpack_from(">H", data, offset + 1))
                offset += 1 + _SIZES[tag]
            index += 2 if tag in (_LONG, _DOUBLE) else 1  # these take two numbers
    except (KeyError, IndexError, struct.error):
        return None
    names = (texts.get(each, b"").decode("utf-8", errors="replace") for each in classes)
    return frozenset(name.replace("/", ".") for name in names if name and not name.startswith("["))
