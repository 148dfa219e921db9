"""Messages compared with the protocol's published JSON schema, both those of the adapter and those of the tests.

The package debugpy ships it (debugProtocol.json) and is installed for that alone; it is not imported. Owns as much of
JSON Schema as that file uses, and what the protocol has got since.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Body = dict[str, Any]

NEWER = {
    "LocationsRequest": "Request",
    "LocationsResponse": "Response",
    "Jdbpy/redefineRequest": "Request",
    "Jdbpy/redefineResponse": "Response",
    "RedefineClassesRequest": "Request",
    "RedefineClassesResponse": "Response",
}
"""Messages that the schema lacks: newer than it (locations), or our own and java-debug's."""

OF_ADAPTERS = ("AttachRequest.arguments", "LaunchRequest.arguments", "RestartRequest.arguments.arguments")
"""What each adapter defines for itself."""

NEWER_PROPERTIES = {"valueLocationReference"}

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


@functools.cache
def _definitions() -> Body:
    package = find_spec("debugpy")
    assert package is not None and package.origin is not None, "debugpy is not installed: ./dev installs it"
    file = "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
    text = (Path(package.origin).parent / file).read_text(encoding="utf-8")
    found: Body = json.loads(text)["definitions"]
    return found


def check(message: Body, command: str = "") -> None:
    """Check a message of the adapter; of a response ``command`` is that of its request. A wrong one fails the test."""
    name = _name(message, command)
    name = NEWER.get(name, name)
    definitions = _definitions()
    problems = list(_problems(definitions[name], message, name)) if name in definitions else [f"there is no {name}"]
    assert not problems, f"{problems[:5]} in {message}"


def all_names() -> set[str]:
    """The names of all requests, those of adapters included, and of all events as ``event NAME``."""
    found = set[str]()
    for definition in _definitions().values():
        for part in definition.get("allOf", ()):
            for key, prefix in (("command", ""), ("event", "event ")):
                found.update(prefix + each for each in part.get("properties", {}).get(key, {}).get("enum", ()))
    newer = {name.removesuffix("Request") for name in NEWER if name.endswith("Request")}
    return found | {f"{each[0].lower()}{each[1:]}" for each in newer}


def known_properties(name: str) -> set[str]:
    """The names of the properties of a definition."""
    return set(_definitions()[name]["properties"])


def _name(message: Body, command: str) -> str:
    if message["type"] in ("event", "request"):
        name = message["event" if message["type"] == "event" else "command"]
        return f"{name[0].upper()}{name[1:]}{message['type'].capitalize()}"
    if not message["success"]:
        return "ErrorResponse" if "body" in message else "Response"
    return f"{command[0].upper()}{command[1:]}Response"


def _problems(schema: Body, value: Any, path: str, *, whole: bool = True) -> Iterator[str]:
    """``whole``: the value has no properties but those of the schema, which is not one part of ``allOf``."""
    if "$ref" in schema:
        yield from _problems(_definitions()[schema["$ref"].rpartition("/")[2]], value, path, whole=whole)
        return
    for part in schema.get("allOf", ()):
        yield from _problems(part, value, path, whole=False)
    for choice in ("oneOf", "anyOf"):
        if choice in schema and all(list(_problems(part, value, path)) for part in schema[choice]):
            yield f"{path} fits none of {choice}"
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        fits = any(
            isinstance(value, _TYPES[kind]) and (not isinstance(value, bool) or kind == "boolean") for kind in kinds
        )
        if not fits:
            yield f"{path} is {value!r}, not {schema['type']}"
            return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path} is {value!r}, none of {schema['enum']}"
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{path}.{name} is missing"
        for name, part in schema.get("properties", {}).items():
            if name in value:
                yield from _problems(part, value[name], f"{path}.{name}")
        if whole and path.count(".") and path not in OF_ADAPTERS and "properties" in schema and "allOf" not in schema:
            yield from (
                f"{path}.{name} is not in the schema"
                for name in value
                if name not in {*schema["properties"], *NEWER_PROPERTIES}
            )
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            yield from _problems(schema["items"], each, f"{path}[{index}]")
