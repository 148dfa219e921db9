"""JNI signatures and Java names, both ways: ``[Ljava/lang/String;`` and ``java.lang.String[]``.

Owns the spelling of types and modifiers (JVMS 4.3, 4.1, 4.5, 4.6). Pure text; generic signatures belong to
``generics``. Nothing here fails on a signature that it does not understand: it is shown as it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "V": "void",
    "Z": "boolean",
}
"""The one-letter signatures and the words of Java for them."""

_LETTERS = {word: letter for letter, word in PRIMITIVES.items()}

PUBLIC = 0x0001
PRIVATE = 0x0002
PROTECTED = 0x0004
STATIC = 0x0008
FINAL = 0x0010
BRIDGE = 0x0040
VARARGS = 0x0080
NATIVE = 0x0100
INTERFACE = 0x0200
ABSTRACT = 0x0400
ANNOTATION = 0x2000
ENUM = 0x4000
SYNTHETIC_CLASS = 0x1000
SYNTHETIC = 0xF0000000
"""The bits by which the agent marks a synthetic member (util.h); see also ``is_synthetic``."""

# In the order in which Java programmers write them (JLS 8.1.1, 8.3.1, 8.4.3).
_ACCESS = ((PUBLIC, "public"), (PROTECTED, "protected"), (PRIVATE, "private"))
_CLASS_WORDS = (*_ACCESS, (ABSTRACT, "abstract"), (STATIC, "static"), (FINAL, "final"))
_FIELD_WORDS = (*_ACCESS, (STATIC, "static"), (FINAL, "final"), (0x80, "transient"), (0x40, "volatile"))
_METHOD_WORDS = (
    *_ACCESS,
    (ABSTRACT, "abstract"),
    (STATIC, "static"),
    (FINAL, "final"),
    (0x20, "synchronized"),
    (NATIVE, "native"),
    (0x800, "strictfp"),
)


def java_name(signature: str) -> str:
    """Return the Java name of a type: "[I" is "int[]", "Ljava/util/Map$Entry;" is "java.util.Map$Entry".

    A hidden class has a dot before its suffix in the signature and a slash there in its name, as ``Class.getName()``
    has it: "Ltest/T$$Lambda.0x07;" is "test.T$$Lambda/0x07".
    """
    element = signature.lstrip("[")
    dimensions = len(signature) - len(element)
    if element.startswith("L") and element.endswith(";"):
        name = element[1:-1].translate(_SIGNATURE_TO_NAME)
    else:
        name = PRIMITIVES.get(element, element)
    return name + "[]" * dimensions


def java_names(found: Iterable[str]) -> list[str]:
    """``java_name`` of many, without its detours for plain classes."""
    return [
        each[1:-1].replace("/", ".") if each[:1] == "L" and each[-1] == ";" and "." not in each else java_name(each)
        for each in found
    ]


def signature_of(name: str) -> str:
    """Return the JNI signature of a Java type name, the reverse of ``java_name``; blanks are ignored."""
    name = name.strip()
    dimensions = 0
    while name.endswith("]"):
        name = name[: name.rindex("[")].rstrip()
        dimensions += 1
    element = _LETTERS.get(name) or f"L{name.translate(_NAME_TO_SIGNATURE)};"
    return "[" * dimensions + element


_SIGNATURE_TO_NAME = str.maketrans("/.", "./")
_NAME_TO_SIGNATURE = str.maketrans("./", "/.")


@lru_cache(maxsize=512)
def split_method(signature: str) -> tuple[tuple[str, ...], str]:
    """Return the parameter signatures and the result's: "(I[JLa/B;)V" is (("I", "[J", "La/B;"), "V").

    Works on generic signatures too as long as they declare no type parameters.
    """
    inside, _, result = signature.removeprefix("(").rpartition(")")
    return tuple(_types(inside)), result.partition("^")[0]


def argument_slots(signature: str, *, static: bool) -> Iterator[tuple[int, str]]:
    """Yield the slot and the type of each argument of a method, ``this`` left out (JVMS 2.6.1)."""
    slot = 0 if static else 1
    for each in split_method(signature)[0]:
        yield slot, each
        slot += 2 if each in ("J", "D") else 1


def _types(text: str) -> Iterator[str]:
    start = position = 0
    while position < len(text):
        if text[position] == "[":
            position += 1
            continue
        position = end_of_type(text, position)
        yield text[start:position]
        start = position


def end_of_type(text: str, position: int) -> int:
    """Return where the type that starts at ``position`` ends; type arguments in angle brackets are stepped over."""
    if text[position] not in "LT":
        return position + 1
    depth = 0
    for index in range(position, len(text)):
        match text[index]:
            case "<":
                depth += 1
            case ">":
                depth -= 1
            case ";" if depth == 0:
                return index + 1
    return len(text)


def parameter_types(signature: str, *, varargs: bool = False) -> tuple[str, ...]:
    """Return the Java types of a method's parameters; a varargs method's last one is spelled "String..."."""
    types = [java_name(parameter) for parameter in split_method(signature)[0]]
    if varargs and types and types[-1].endswith("[]"):
        types[-1] = types[-1].removesuffix("[]") + "..."
    return tuple(types)


def simple_name(name: str) -> str:
    """Return the name without its package: "java.util.Map$Entry" is "Map$Entry"."""
    return name[: _end_of_plain_name(name)].rpartition(".")[2] + name[_end_of_plain_name(name) :]


def package_of(name: str) -> str:
    """Return the package of a class name, "" for the unnamed one."""
    return name[: _end_of_plain_name(name)].rpartition(".")[0]


def _end_of_plain_name(name: str) -> int:
    """Return where the suffix of a hidden class begins, or the end."""
    slash = name.find("/")
    return slash if slash >= 0 else len(name)


def outermost(name: str) -> str:
    """Return the top-level class that a nested, local or anonymous class belongs to, known by its name.

    A ``$`` at the start of a simple name, or at its end, is part of that name (``com.sun.proxy.$Proxy3``).
    """
    simple = simple_name(name)
    cut = simple.find("$", 1)
    if cut < 0 or cut == len(simple) - 1:
        return name
    return name[: len(name) - len(simple) + cut]


def is_lambda_class(name: str) -> bool:
    """True if the class was spun by the runtime to carry a lambda or a method reference: no source belongs to it."""
    return "$$Lambda" in name


@lru_cache(maxsize=1024)  # of a hundred thousand frames most are of the same few classes
def is_hidden_class(class_name: str) -> bool:
    """True if the VM made the class for itself: lambdas, method handles; their names tell."""
    return "/0x" in class_name or is_lambda_class(class_name) or class_name.startswith("java.lang.invoke.LambdaForm$")


def is_lambda_body(method_name: str) -> bool:
    """True if compilers of Java, Kotlin or Scala give the body of a lambda this name."""
    return "lambda$" in method_name or "$anonfun$" in method_name


def is_synthetic(bits: int) -> bool:
    """True if the compiler made the member: the agent's mark, or ACC_SYNTHETIC where an agent passes that on."""
    return bool(bits & (SYNTHETIC | 0x1000))


def class_modifiers(bits: int) -> str:
    """Modifiers of a class as in source, with its kind when it is no plain class: "public abstract interface"."""
    if bits & ANNOTATION:
        kind = "@interface"
    elif bits & INTERFACE:
        kind = "interface"
    else:
        kind = "enum" if bits & ENUM else ""
    if bits & INTERFACE:
        bits &= ~ABSTRACT
    made = "synthetic " if bits & SYNTHETIC_CLASS else ""
    return made + _words(bits, _CLASS_WORDS, kind)


def method_modifiers(bits: int) -> str:
    """Modifiers of a method as in source; "bridge" or "synthetic" when the compiler made it."""
    made = "bridge" if bits & BRIDGE else "synthetic" if is_synthetic(bits) else ""
    return _words(bits, _METHOD_WORDS, made)


def field_modifiers(bits: int) -> str:
    """Modifiers of a field as in source; "synthetic" when the compiler made it."""
    return _words(bits, _FIELD_WORDS, "synthetic" if is_synthetic(bits) else "")


def _words(bits: int, table: tuple[tuple[int, str], ...], last: str) -> str:
    words = [word for bit, word in table if bits & bit]
    return " ".join([*words, last] if last else words)


def expanded(owner: str, name: str) -> str:
    """Return the name that scalac gives a private member of a class that code of others reaches:
    ``shop$Till$$drawer``."""
    return f"{owner.replace('.', '$')}$${name}"
