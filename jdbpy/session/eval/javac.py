"""javac, for lambdas and anonymous classes that the target itself must run.

Owns the text of the class around an expression, the choice of the compiler on this machine, the class path (the
target's own, as far as it can be read here) and the temporary directory; errors are reported in one sentence. Off
unless the user asks for it: it adds classes to the target, which stay there for as long as their loader does.
``compile.functions`` says which names of the expression's text must be handed in; ``jvm.loading`` defines the class in
the target.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path

import trio

from jdbpy.errors import EvalError, StateError
from jdbpy.record import Record
from jdbpy.session.java.types import (
    OBJECT,
    ArrayType,
    ClassType,
    JavaType,
    LateType,
    NullType,
    Primitive,
    TypeVar,
    Wildcard,
)
from jdbpy.session.local.java_home import JAVAC_JVM, JavaHome, java_homes

METHOD = "make"


class CapturedParameter(Record):
    """Something that is handed in: its name in the text, and its type as source."""

    name: str
    type: str


class JavaSource(Record):
    """A class to compile: its binary name and its text."""

    name: str
    text: str


def class_around(package: str, parameters: Sequence[CapturedParameter], result: str, expression: str) -> JavaSource:
    """Return a class whose static method ``make`` gives the expression. Its name is new to every target."""
    simple = f"JdbpyExpression{secrets.token_hex(6)}"
    declared = ", ".join(f"{each.type} {each.name}" for each in parameters)
    lines = [
        *([f"package {package};"] if package else []),
        '@SuppressWarnings({"unchecked", "rawtypes"})',
        f"final class {simple} {{",
        f"    static {result} {METHOD}({declared}) throws Throwable {{",
        f"        return {expression};",
        "    }",
        "}",
        "",
    ]
    return JavaSource(f"{package}.{simple}" if package else simple, "\n".join(lines))


def source_type(kind: JavaType) -> str:
    """Return a type as it is written in source, with its type arguments; a bare ``?`` and what is not known is
    Object."""
    match kind:
        case Primitive():
            return kind.name
        case ArrayType(element=element):
            return source_type(element) + "[]"
        case TypeVar(bound=bound):
            return source_type(bound)
        case Wildcard(kind=which, bound=bound):
            return source_type(OBJECT if which == "*" else bound)
        case LateType() | NullType():
            return OBJECT.name
        case ClassType(class_id=other) if other:  # the source can name the one of the class path only
            return OBJECT.name
        case ClassType(name=name, args=args):
            written = name.replace("$", ".")
            return f"{written}<{', '.join(map(source_type, args))}>" if args else written
    return OBJECT.name


COMPILE_LIMIT = 30.0
"""Seconds that javac may take."""

_FIRST_ERROR = re.compile(r"\.java:\d+: error: (.*)")


class ClassFiles(Record):
    """The outcome of a compilation: class files by binary name, those that others need first."""

    files: tuple[tuple[str, bytes], ...]


async def compile_class(source: JavaSource, release: int, class_path: tuple[str, ...]) -> ClassFiles:
    """Compile a class for a target of that Java release.

    Raises StateError when there is no javac here, EvalError with javac's first error.
    """
    java = await trio.to_thread.run_sync(_find, release)
    with tempfile.TemporaryDirectory(prefix="jdbpy-") as work:
        file = await trio.to_thread.run_sync(_write, work, source)
        command = [
            str(java.javac),
            *JAVAC_JVM,
            "-d",
            work,
            "-encoding",
            "UTF-8",
            "-proc:none",
            "-implicit:none",
            "-nowarn",
        ]
        command += ["--release", str(min(release, java.feature))] if java.feature >= 9 else []
        command += ["-cp", os.pathsep.join(class_path) or work, file]
        with trio.move_on_after(COMPILE_LIMIT) as scope:
            done = await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)
        if scope.cancelled_caught:
            raise StateError(f"javac has not ended within {COMPILE_LIMIT:g} s", code="TIMED_OUT")
        if done.returncode:
            raise _refused(done.stderr.decode(errors="replace"))
        return await trio.to_thread.run_sync(_class_files, work)


def _write(work: str, source: JavaSource) -> str:
    file = Path(work, source.name.rpartition(".")[2] + ".java")
    file.write_text(source.text, encoding="utf-8")
    return str(file)


def _class_files(work: str) -> ClassFiles:
    """Return the class files of a directory, those of nested classes before the one around them."""
    found = sorted(Path(work).rglob("*.class"), key=lambda path: (-len(path.stem), path.name))
    names = (".".join(path.relative_to(work).with_suffix("").parts) for path in found)
    return ClassFiles(tuple(zip(names, (path.read_bytes() for path in found), strict=True)))


def _find(release: int) -> JavaHome:
    """Return the compiler of the target's release if it is there, else the oldest that is newer, else the newest."""
    found = [java for java in java_homes() if java.javac]
    if not found:
        raise StateError(
            "a lambda that the target runs is compiled with a local javac, and none was found",
            hint="install a JDK, or set JAVA_HOME to one",
            code="NO_JAVAC",
        )
    newer = sorted((java for java in found if java.feature >= release), key=lambda java: java.feature)
    return newer[0] if newer else max(found, key=lambda java: java.feature)


def _refused(errors: str) -> EvalError:
    first = _FIRST_ERROR.search(errors)
    message = first[1] if first else (errors.strip().splitlines() or ["no reason given"])[0]
    hint = "a class of the debugger's own is compiled around it: private members cannot be named in it"
    return EvalError(f"javac: {message}", hint=hint, code="JAVAC")
