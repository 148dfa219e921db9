"""Programs in other languages of the JVM, compiled by the compilers of Debian's packages.

The program is the same in each: four threads of a pool price forty orders for every line of standard input. Each is
compiled by one start of its compiler, and the classes are kept by content under build/fixtures, as those of Java are.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from jdbpy.record import Record
from tests.harness import Program
from tests.harness.jvms import BRIEF, all_jvms
from tests.harness.kept import BUILD, make_once
from tests.harness.needs import COMPILERS, compiler, library_jars
from tests.harness.programs import FIXTURES

SOURCES = FIXTURES / "pools"
_MARKER = re.compile(r"(?://|;)\s*@(\w+)\s*$", re.MULTILINE)
_LIMIT = 240
"""Seconds that a compiler may take on a machine with a lot else to do."""


class Language(Record):
    """``file`` is the source, ``main`` the main class, ``compile`` the command, with the names in braces filled in.

    ``price`` is the expression for the price of ``item``, ``runtime`` are patterns of classes that steps pass through.
    """

    name: str
    file: str
    main: str
    compile: str
    price: str
    runtime: tuple[str, ...]


_JDK = ("java.*", "javax.*", "jdk.*", "sun.*")

ALL = (
    Language(
        name="kotlin",
        file="Orders.kt",
        main="shop.OrdersKt",
        compile="kotlinc {source} -d {classes}",
        price="item.getPrice()",
        runtime=(*_JDK, "kotlin.*"),
    ),
    Language(
        name="scala",
        file="Orders.scala",
        main="shop.Main",
        compile="scalac -g:vars -d {classes} {source}",
        price="item.price()",
        runtime=(*_JDK, "scala.*"),
    ),
    Language(
        name="groovy",
        file="Orders.groovy",
        main="shop.Orders",
        compile="groovyc -d {classes} {source}",
        price="item.getPrice()",
        runtime=(*_JDK, "groovy.*", "org.codehaus.groovy.*"),
    ),
    Language(
        name="clojure",
        file="shop/orders.clj",
        main="shop.orders",
        compile="{java} -cp {library}:{sources} -Dclojure.compile.path={classes} clojure.lang.Compile shop.orders",
        price='(Long) ((clojure.lang.ILookup) item).valAt(clojure.lang.Keyword.intern("price"))',
        runtime=(*_JDK, "clojure.*"),
    ),
)


@functools.cache
def compiled(language: Language) -> Program:
    """The program in that language. Raises AssertionError when there is no compiler."""
    there = library_jars(language.name) and (language.name not in COMPILERS or compiler(language.name))
    assert there, f"no {language.name}: apt-get install {language.name}"
    text = (SOURCES / language.file).read_text(encoding="utf-8")
    digest = hashlib.sha256(f"{text}\0{language.compile}".encode()).hexdigest()[:16]
    kept = BUILD / "fixtures" / f"{language.name}-{digest}"
    words = {"source": SOURCES / language.file, "sources": SOURCES, "library": _library(language)}
    make_once(kept, lambda made: _compile_into(made, language.compile, words))
    markers = {name[1]: (language.file, text.count("\n", 0, name.start()) + 1) for name in _MARKER.finditer(text)}
    classes = f"{kept}{os.pathsep}{_library(language)}"
    return Program(main=language.main, classes=classes, sources=str(SOURCES), markers=markers)


def groovy_classes(source: Path, library: str) -> str:
    """The directory with the classes of a source in Groovy, compiled with these jars."""
    text, command = source.read_text(encoding="utf-8"), "groovyc -cp {library} -d {classes} {source}"
    kept = BUILD / "fixtures" / f"{source.stem}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    make_once(kept, lambda made: _compile_into(made, command, {"source": source, "library": library}))
    return str(kept)


def _library(language: Language) -> str:
    return os.pathsep.join(library_jars(language.name))


def _compile_into(made: Path, form: str, words: Mapping[str, object]) -> None:
    home = all_jvms()[0]  # these compilers are as old as Debian's releases, and so is the Java that they know
    made.mkdir()
    command = [word.format(**words, classes=made, java=home.java) for word in form.split()]
    environment = {**os.environ, "JAVA_HOME": home.home, "JDK_JAVA_OPTIONS": " ".join(BRIEF)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=_LIMIT, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
