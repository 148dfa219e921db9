"""Java programs for tests: compiled once, kept by content, with ``// @marker`` comments for lines."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from jdbpy.record import Record
from tests.harness.compiling import compile_java
from tests.harness.jvms import Jvm, javac
from tests.harness.kept import BUILD, make_once

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
_KEPT = BUILD / "fixtures"

_DEBUG_FLAGS = {"all": "-g", "lines": "-g:source,lines", "none": "-g:none"}
_SINCE = re.compile(r"//\s*since (\d+)\s*$")
_MARKER = re.compile(r"//\s*@([\w-]+(?:\s*,\s*[\w-]+)*)\s*$")


class Program(Record):
    """A compiled Java program. ``main`` is its main class, ``classes`` the class path, ``sources`` the source path.

    ``release`` is the oldest Java version that runs it.
    """

    main: str
    classes: str
    sources: str
    markers: dict[str, tuple[str, int]]  # name -> (file name relative to sources, line)
    release: int = 17
    compile_for: Callable[[int], Program] | None = None  # None: it was not compiled from source here

    def on(self, jvm: Jvm) -> Program:
        """The program as that JVM can run it: the same text, compiled for its version if that is an older one."""
        if jvm.feature >= self.release or self.compile_for is None:
            return self
        return self.compile_for(jvm.feature).replace(sources=self.sources)

    def line(self, marker: str) -> int:
        """The line number that ``// @marker`` stands on."""
        return self._marked(marker)[1]

    def file(self, marker: str) -> str:
        """The source file that ``// @marker`` stands in, without its directory."""
        return os.path.basename(self._marked(marker)[0])

    def at(self, marker: str, class_name: str = "") -> str:
        """The place of a marker as a breakpoint spec, "Class:line"; the class is named by the file, if not given."""
        path, line = self._marked(marker)
        return f"{class_name or path.removesuffix('.java').replace(os.sep, '.')}:{line}"

    def _marked(self, marker: str) -> tuple[str, int]:
        if marker not in self.markers:
            raise KeyError(f"no // @{marker} in the source of {self.main}; there are {sorted(self.markers)}")
        return self.markers[marker]


@functools.cache
def program(
    name: str,
    *,
    debug: str = "all",
    release: int = 17,
    parameters: bool = False,
    where: Path = FIXTURES,
    libraries: tuple[str, ...] = (),
) -> Program:
    """Compile ``fixtures/<name>.java``, or all of ``fixtures/<name>/``; see the package's docstring.

    ``where`` is another directory than fixtures/ to look in; ``libraries`` are jars that it is compiled and run with.
    """
    single = where / f"{name}.java"
    if single.is_file():
        sources = {_path_in_package(single.read_text(encoding="utf-8"), single.name): single}
    else:
        directory = where / name
        sources = {str(path.relative_to(directory)): path for path in sorted(directory.rglob("*.java"))}
    if not sources:
        raise FileNotFoundError(f"neither {single} nor {single.with_suffix('')}/ with Java files")
    texts = {path: file.read_text(encoding="utf-8") for path, file in sources.items()}
    return _compile(texts, _class_named(name, texts), debug, release, parameters, libraries)


@functools.cache
def inline(source: str, *, debug: str = "all", release: int = 17, parameters: bool = False) -> Program:
    """Compile the text of one Java file; its main class is the first top-level class that has a ``main``."""
    main = re.search(r"\b(?:class|enum|record|interface)\s+(\w+)[^;]*?\bvoid\s+main\s*\(", source, re.DOTALL)
    if main is None:
        raise ValueError("the source has no class with a main method")
    texts = {_path_in_package(source, f"{main[1]}.java"): source}
    return _compile(texts, _class_named(main[1], texts), debug, release, parameters)


@functools.cache
def _compiled(
    texts: tuple[tuple[str, str], ...], main: str, debug: str, release: int, parameters: bool, jars: tuple[str, ...]
) -> Program:
    return _compile(dict(texts), main, debug, release, parameters, jars)


def _compile(
    texts: dict[str, str], main: str, debug: str, release: int, parameters: bool, libraries: tuple[str, ...] = ()
) -> Program:
    flags = [_DEBUG_FLAGS[debug], "--release", str(release), "-encoding", "UTF-8", "-Xlint:-options", "-nowarn"]
    flags += ["-parameters"] if parameters else []
    flags += ["-cp", os.pathsep.join(libraries)] if libraries else []
    given, texts = texts, {path: _without_later(text, release) for path, text in texts.items()}
    compiler = javac()
    digest = hashlib.sha256(repr((sorted(texts.items()), flags, compiler)).encode()).hexdigest()[:16]
    kept = _KEPT / f"{main.rpartition('.')[2]}-{digest}"
    make_once(kept, lambda made: _compile_into(made, texts, compiler, flags))
    markers: dict[str, tuple[str, int]] = {}
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for marker in re.split(r"\s*,\s*", found[1]) if (found := _MARKER.search(line)) else ():
                if marker in markers:
                    raise ValueError(f"// @{marker} stands twice in the source of {main}")
                markers[marker] = (path, number)
    classes = os.pathsep.join([str(kept / "classes"), *libraries])
    return Program(
        main=main,
        classes=classes,
        sources=str(kept / "sources"),
        markers=markers,
        release=release,
        compile_for=lambda older: _compiled(tuple(given.items()), main, debug, older, parameters, libraries),
    )


def _without_later(text: str, release: int) -> str:
    """Return a source for a Java release: a line that ends in ``// since 11`` is empty for one before."""
    later = [(found := _SINCE.search(line)) is not None and int(found[1]) > release for line in text.split("\n")]
    return "\n".join("" if is_later else line for line, is_later in zip(text.split("\n"), later, strict=True))


def _compile_into(made: Path, texts: dict[str, str], compiler: str, flags: list[str]) -> None:
    for path, text in texts.items():
        file = made / "sources" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    files = [str(made / "sources" / path) for path in texts]
    compile_java(compiler, [*flags, "-d", str(made / "classes"), *files])


def _path_in_package(source: str, file_name: str) -> str:
    package = re.search(r"^\s*package\s+([\w.]+)\s*;", source, re.MULTILINE)
    return os.path.join(*package[1].split("."), file_name) if package else file_name


def _class_named(name: str, texts: dict[str, str]) -> str:
    """The qualified name of the class in ``Name.java``, wherever in the tree that file stands."""
    for path in texts:
        if os.path.basename(path) == f"{name}.java":
            return path.removesuffix(".java").replace(os.sep, ".")
    raise FileNotFoundError(f"no {name}.java, which should hold the main class, among {sorted(texts)}")
