"""print, eval, dump, set, save, disablegc, enablegc."""

from __future__ import annotations

import re

from jdbpy import Disconnected, EvalError, JdbpyError, Limits, StateError, ValueInfo
from jdbpy.identifiers import WORD
from jdbpy.jdb.debugger import Debugger
from jdbpy.jdb.interpreter import jdb_command
from jdbpy.jdb.values import SHORT, is_object, massaged, text_of
from jdbpy.jdb.words import Words

_ALL = Limits(depth=1, string=1_000_000, elements=1_000_000, fields=10_000)
_UNKNOWN = re.compile(rf"cannot find symbol: (?:variable|method) ([{WORD}]+)(?:\(.*\))?(?: in \w+ (\S+))?")
_NO_TYPE = re.compile(r"package \S+ does not exist|cannot find symbol: class \S+(?: in package \S+)?")
_NO_FIT = re.compile(r"no suitable method found|method \S+ in \w+ \S+ cannot be applied")
_NUMBER_OR_TEXT = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?<![\w.$])(?P<number>[1-9]\d{9,18})(?![\w.])""")
_TOO_LARGE = re.compile(r"integer number too large: (\d+)")
_WRONG_TYPE = re.compile(
    r"incompatible types: (?:.+ cannot be converted to (?P<to>.+)|possible lossy conversion from .+ to (?P<narrow>.+))"
)
_PRIMITIVES = ("boolean", "byte", "char", "short", "int", "long", "float", "double")
_INT_MAX, _LONG_MAX = 2**31 - 1, 2**63 - 1
_DOTTED = re.compile(rf"([{WORD}]+(?:\.[{WORD}]+)*)(\(.*\))?")


@jdb_command("print", "eval", evaluates=True)
async def print_(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("No objects specified.")
        return
    await _print(jdb, words.rest())


@jdb_command("set", evaluates=True)
async def set_(jdb: Debugger, words: Words) -> None:
    text = words.rest()
    if "=" not in text:
        jdb.out.line("Invalid assignment syntax")
        return
    await _print(jdb, text)


@jdb_command("dump", evaluates=True)
async def dump(jdb: Debugger, words: Words) -> None:
    if not words.more():
        jdb.out.line("No objects specified.")
        return
    text = words.rest()
    value = await evaluated(jdb, text)
    if value is None or not is_object(value) or value.tag == "s":
        jdb.out.line(f"{text} = {'null' if value is None else text_of(value)}")
        return
    whole = await jdb.target.values.dump("$_", _ALL)
    jdb.out.line(f"{text} = {{")
    if whole.tag == "[":
        jdb.out.line(", ".join(text_of(each.value) for each in whole.children))
        jdb.out.line("}")
        return
    declared = [(each.class_name, each.name) for each in await jdb.target.classes.fields(whole.type)]
    places = {field: place for place, field in enumerate(declared)}
    for each in sorted(whole.children, key=lambda one: places.get((one.declared_in or whole.type, one.name), 0)):
        owner = "" if each.declared_in in ("", whole.type) else each.declared_in + "."
        jdb.out.line(f"    {owner}{each.name}: {text_of(each.value)}")
    jdb.out.line("}")


@jdb_command("save", evaluates=True)
async def save(jdb: Debugger, words: Words) -> None:
    if not words.more():
        if not jdb.saved:
            jdb.out.line("No saved values")
        for key, kept in jdb.saved.items():
            jdb.out.line(f"{key} = {kept}")
        return
    key = words.next()
    if not words.more():
        jdb.out.line("No expression specified.")
        return
    value = await evaluated(jdb, words.rest())
    if value is None:
        jdb.out.line("Expression cannot be void")
        return
    await jdb.target.values.save(key, "$_")
    jdb.saved[key] = text_of(value)
    if (text := await shown(jdb, value)) is not None:
        jdb.out.line(f"{text} saved")


@jdb_command("disablegc", evaluates=True)
async def disablegc(jdb: Debugger, words: Words) -> None:
    value = await object_of(jdb, words)
    if value is not None:
        name = f"gc{value.id}"
        await jdb.target.values.save(name, "$_")
        jdb.kept[value.id or 0] = name
        if (text := await shown(jdb, value)) is not None:
            jdb.out.line(f"GC Disabled for {text}:")


@jdb_command("enablegc", evaluates=True)
async def enablegc(jdb: Debugger, words: Words) -> None:
    value = await object_of(jdb, words)
    if value is not None:
        name = jdb.kept.pop(value.id or 0, None)
        if name is not None:
            jdb.target.values.forget(name)
        if (text := await shown(jdb, value)) is not None:
            jdb.out.line(f"GC Enabled for {text}:")


async def object_of(jdb: Debugger, words: Words) -> ValueInfo | None:
    """Return the object that the rest of the line evaluates to, as ``$_``; says so if it is none."""
    if not words.more():
        jdb.out.line("No object specified.")
        return None
    value = await evaluated(jdb, words.rest())
    if value is None or not is_object(value):
        jdb.out.line("Expression must evaluate to an object")
        return None
    return value


async def evaluated(jdb: Debugger, text: str) -> ValueInfo | None:
    """Return the value of an expression, also as ``$_``; None for null, and for one that fails, which is said then."""
    await jdb.follow()
    try:
        value = await jdb.target.values.evaluate(_with_long_literals(text.strip()), limits=SHORT)
    except Disconnected:
        raise
    except JdbpyError as error:
        jdb.out.line(await _not_assignable(jdb, error, text) or _complaint(error, text))
        return None
    return None if value.tag != "V" and value.text == "null" and not value.id else value


async def shown(jdb: Debugger, value: ValueInfo) -> str | None:
    """Return the value, which is ``$_``, as ``print`` shows it; None, and it is said, when its toString() cannot be
    run."""
    try:
        return await massaged(jdb.target, value)
    except StateError:
        what = "Unable to complete expression. Thread not suspended for method invoke"
        jdb.out.line(f"com.sun.tools.example.debug.expr.ParseException: {what}")
    except EvalError as error:
        jdb.out.line(_complaint(error, "$_"))
    return None


async def _print(jdb: Debugger, text: str) -> None:
    value = await evaluated(jdb, text)
    result = "null" if value is None else await shown(jdb, value)
    if result is not None:
        jdb.out.line(f"{text} = {result}")


def _with_long_literals(text: str) -> str:
    """Return the expression with an L at numbers that are too large for an int: jdb takes them as long."""

    def longer(match: re.Match[str]) -> str:
        number = match["number"]
        if number is None or not _INT_MAX < int(number) <= _LONG_MAX:
            return match[0]
        return f"{number}L"

    return _NUMBER_OR_TEXT.sub(longer, text)


async def _not_assignable(jdb: Debugger, error: JdbpyError, text: str) -> str:
    """Return what JDI says of a value of a wrong type in an assignment; "" for other errors."""
    wrong = _WRONG_TYPE.fullmatch(error.message) if isinstance(error, EvalError) else None
    target, sign, expression = text.partition("=")
    if wrong is None or not sign or target.strip() == "":
        return ""
    try:
        value = await jdb.target.values.evaluate(_with_long_literals(expression.strip()), limits=SHORT, remember=False)
    except JdbpyError:
        return ""
    wanted = wrong["to"] or wrong["narrow"]
    refers = is_object(value) or value.tag == "s"  # a string of the expression is nothing in the target yet
    if wanted in _PRIMITIVES:
        if refers:
            what = "Can't assign object value to primitive"
        elif wanted == "boolean":
            what = "Can't assign non-boolean value to a boolean"
        elif value.type == "boolean":
            what = "Can't assign boolean value to an non-boolean"
        else:
            what = f"Can't convert {value.text} to {wanted}"
    elif not refers:
        what = "Can't assign primitive value to object"
    elif wanted.endswith("[]") and value.tag != "[":
        what = "Can't assign non-array value to an array"
    else:
        found = [each.name for each in await jdb.target.classes.find(wanted)] if not wanted.endswith("[]") else []
        what = f"Can't assign {value.type} to {found[0] if found else wanted}"
    complaint = f"Attempt to set value of incorrect typecom.sun.jdi.InvalidTypeException: {what}"
    return f"com.sun.tools.example.debug.expr.ParseException: {complaint}"


def _complaint(error: JdbpyError, text: str) -> str:
    """Return an error of an expression in jdb's words where it has such, else in ours."""
    thrown = getattr(error, "exception_type", "")
    if thrown:
        return f"Exception in expression: {thrown}"
    if not isinstance(error, EvalError) or error.column is None:
        return error.message
    what = error.message
    if large := _TOO_LARGE.fullmatch(what):
        return f'java.lang.NumberFormatException: For input string: "{large[1]}"'
    dotted = _DOTTED.fullmatch(text.strip())
    name = dotted[1] if dotted else ""
    if unknown := _UNKNOWN.fullmatch(what):
        before, found, _ = f"{name}.".partition(f".{unknown[1]}.")
        if found and unknown[2]:
            kind = "static" if before.split("$")[-1] == unknown[2] else "instance"
            what = f"No {kind} field or method with the name {unknown[1]} in {unknown[2]}"
        else:
            what = f"Name unknown: {name or unknown[1]}"
    elif name and _NO_TYPE.fullmatch(what):
        what = f"Name unknown: {name}"
    elif _NO_FIT.match(what):
        return "Arguments match no method"
    elif "variable this cannot be referenced" in what:
        what = "No 'this'.  In native or static method"
    return f"com.sun.tools.example.debug.expr.ParseException: {what}"
