"""Whether a source file can be the one of a class: by the package that it declares.

Pure. Many files have the same name; one of another package would show lines that have nothing to do with the class.
"""

from __future__ import annotations

from jdbpy.session.sources.text import SourceFile, namespace_in, package_in
from jdbpy.session.types.signatures import package_of

_PACKAGED = (".java", ".kt", ".kts", ".groovy", ".scala", ".xtend", ".aj")
_CLOJURE = (".clj", ".cljc")


def has_packages(path: str) -> bool:
    """True if files of that language declare the package of their classes."""
    return path.endswith((*_PACKAGED, *_CLOJURE))


def belongs(file: SourceFile, class_name: str, source: str | None, *, by_name: bool) -> bool:
    """True if a file may be the source of a class; ``source`` is what the class tells of it, a name or a path.

    ``by_name``: nothing but the file's name has led to it.
    """
    path = file.path
    if path.endswith(_CLOJURE):
        return _has_namespace(file, class_name, by_name=by_name)
    if not path.endswith(_PACKAGED):
        return True
    declared = package_in(file.lines)
    if path.endswith(".scala"):
        own = package_of(class_name)
        if not declared:
            return not own or _nested(file)
        return f"{own}.".startswith(f"{declared}.")  # packages may be nested, package objects are packages too
    if declared == package_of(class_name):
        return True
    if source is None or "/" not in source:
        return False
    # Code of another file that was inlined: the path of its source map has the directory of its package.
    directory = source.removeprefix("./").rpartition("/")[0]
    wanted = declared.replace(".", "/")
    return directory == wanted or (bool(wanted) and f"/{directory}".endswith(f"/{wanted}"))


def _has_namespace(file: SourceFile, class_name: str, *, by_name: bool) -> bool:
    declared = namespace_in(file.lines).replace("-", "_")
    if not declared:
        return not by_name
    return class_name.split("$")[0] == declared or package_of(class_name) == declared


def _nested(file: SourceFile) -> bool:
    """True if a Scala file has its packages in braces."""
    return any(line.lstrip().startswith("package ") and "{" in line for line in file.lines[:400])
