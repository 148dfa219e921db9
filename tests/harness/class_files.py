"""Class files changed by tests: a source map written into one, as compilers of other languages do it."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

from jdbpy.session.java.constant_pool import ConstantPool
from tests.harness.programs import Program


def with_source_map(program: Program, directory: Path, smap: str, class_name: str = "") -> Program:
    """A copy of the program in ``directory`` whose main class, or the one named, has this SourceDebugExtension."""
    classes = directory / "classes"
    shutil.copytree(program.classes, classes)
    file = classes / f"{(class_name or program.main).replace('.', '/')}.class"
    file.write_bytes(add_attribute(file.read_bytes(), "SourceDebugExtension", smap.encode()))
    return program.replace(classes=str(classes), sources=str(directory))


def add_attribute(data: bytes, name: str, content: bytes) -> bytes:
    """The class file with one more attribute of the class (JVMS 4.1): its name joins the end of the constant pool."""
    [count] = struct.unpack_from(">H", data, 8)
    pool = ConstantPool(count, data, 10)
    entry = struct.pack(">BH", 1, len(name)) + name.encode()
    at = _end_of_members(data, pool.end)
    [attributes] = struct.unpack_from(">H", data, at)
    return (
        data[:8]
        + struct.pack(">H", count + 1)
        + data[10 : pool.end]
        + entry
        + data[pool.end : at]
        + struct.pack(">H", attributes + 1)
        + data[at + 2 :]
        + struct.pack(">HI", count, len(content))
        + content
    )


def _end_of_members(data: bytes, after_pool: int) -> int:
    """The offset of the class's own attributes: behind its interfaces, fields and methods."""
    at: int = after_pool + 6
    [interfaces] = struct.unpack_from(">H", data, at)
    at += 2 + 2 * interfaces
    for _ in ("fields", "methods"):
        [members] = struct.unpack_from(">H", data, at)
        at += 2
        for _ in range(members):
            [attributes] = struct.unpack_from(">H", data, at + 6)
            at += 8
            for _ in range(attributes):
                [length] = struct.unpack_from(">I", data, at + 2)
                at += 6 + length
    return at


def with_source_file(program: Program, directory: Path, name: str) -> Program:
    """A copy of the program in ``directory`` whose main class has this SourceFile attribute, whatever it names."""
    classes = directory / "classes"
    shutil.copytree(program.classes, classes)
    file = classes / f"{program.main.replace('.', '/')}.class"
    before, after = (
        struct.pack(">BH", 1, len(text)) + text
        for text in (f"{program.main.rpartition('.')[2]}.java".encode(), name.encode())
    )
    data = file.read_bytes()
    assert data.count(before) == 1
    file.write_bytes(data.replace(before, after))
    return program.replace(classes=str(classes), sources=str(directory))
