"""What follows ``java`` on a command line: options of the JVM, and which program it names."""

from __future__ import annotations

from collections.abc import Sequence

_OPTIONS_WITH_VALUE = {
    *("-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--patch-module"),
    *("--add-modules", "--add-exports", "--add-opens", "--add-reads", "--limit-modules", "--enable-native-access"),
}
_MAIN_FOLLOWS = ("-jar", "-m", "--module")


def jvm_options_of(main: Sequence[str]) -> list[str]:
    """Return the leading options of a java command line: what follows the first other word belongs to the program."""
    options: list[str] = []
    words = iter(main)
    for word in words:
        if not word.startswith("-") or word in _MAIN_FOLLOWS:
            break
        options.append(word)
        if word in _OPTIONS_WITH_VALUE:
            next(words, None)
    return options


def main_class(main: Sequence[str]) -> str:
    """Return the main class that a java command line names, "" where that cannot be known.

    ``main`` is all that follows ``java``. The manifest of ``-jar FILE`` is read: a file that the user has named. It
    raises no error.
    """
    kind, operand = program_of(main)
    if kind == "-jar":
        return _main_of_jar(operand)
    return operand.partition("/")[2] if kind else operand


def program_of(main: Sequence[str]) -> tuple[str, str]:
    """Return what a java command line names: ("-jar", the file), ("-m", module/class) or ("", the class)."""
    words = list(main)
    position = 0
    while position < len(words) and words[position].startswith("-") and words[position] not in _MAIN_FOLLOWS:
        position += 2 if words[position] in _OPTIONS_WITH_VALUE else 1
    if position >= len(words):
        return "", ""
    if words[position] not in _MAIN_FOLLOWS:
        return "", words[position].replace("/", ".")
    operand = words[position + 1] if position + 1 < len(words) else ""
    return words[position], operand


def _main_of_jar(path: str) -> str:
    """Return what the manifest of a jar file calls its main class, "" if it names none."""
    import zipfile  # only a jar needs it, at the start

    try:
        with zipfile.ZipFile(path) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (OSError, KeyError, zipfile.BadZipFile):
        return ""
    lines = manifest.replace("\r\n", "\n").replace("\n ", "").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("main-class:"))
    return next(named, "")
