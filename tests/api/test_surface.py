"""The names of the scripting interface: the same with and without ``await``, all with a docstring that says enough."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import jdbpy.api
import jdbpy.sync
from docs.tools import reference
from jdbpy.api import lazy
from jdbpy.sync.portal import Synced

NAMES = """
    Vm: breakpoint breakpoints call_operation call_stats call_tree calls changes classes deadlocks decisions
        dump_classes entries eval fetch find_thread has_ended heap info is_suspended log loggers mbean mbeans moment
        on_access on_change on_exception on_return method_timings pause profile reads record recorded_calls resume
        returns run sample session set_attribute set_level snapshot stacks static stop_at swap threads throws top
        virtual_stacks wait wait_connected wait_ended
    Fleet: each gather hits missing names vms
    FleetHits: failed next take
    FleetHit: gone hit name vm
    Answer: error name ok value
    Breakpoint: disable enable enabled error exists hits is_pending message number places record remove set_condition
        spec stops to_dict to_json wait
    Hits: breakpoint dropped next summary take
    Hit: caught event exception failure field has loaded message monitor new number object old place record returned
        thread time to_dict to_json
    Reported: args caller cost stack values
    Stop: breakpoint frame is_current reason resume snapshot suspends_all warning
    Thread: force_return finish frame frames id info interrupt is_suspended locks name next record resume stack step
        step_instruction suspend throw to_dict to_json
    Stack: thread total
    Frame: args caller class_name eval index is_current line locals method place pop record set thread to_dict to_json
    Value: children field fields follow id is_null is_object key length lock name python read_string record string text
        to_dict to_json to_string type
    Children: count page
    Chain:
    Heap: count histogram instances path referrers
    Timing: methods result table
    Calls: count dropped failures next notes summary take waiting
    CallTiming: refresh table take whole
"""


def pinned() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word in NAMES.split():
        if word.endswith(":"):
            names = found[word[:-1]] = set()
        else:
            names.add(word)
    return found


def own(cls: type) -> set[str]:
    """The public names that a class itself has, those set by ``__init__`` included."""
    found = {name for name in vars(cls) if not name.startswith("_")}
    if issubclass(cls, Synced):
        return found
    source = inspect.getsource(cls)
    return (
        found
        | set(re.findall(r"^        self\.([a-z]\w*)(?:: [^=]+)? = ", source, re.MULTILINE)) - {"record"}
        | ({"record"} if re.search(r"self\.record = ", source) else set())
    )


@pytest.mark.parametrize("name", pinned())
def test_the_names_are_these(name: str) -> None:
    assert own(getattr(jdbpy.sync, name)) == pinned()[name]
    assert own(getattr(jdbpy.api, name)) == pinned()[name]


def every_member() -> list[tuple[str, Any]]:
    found = [(name, getattr(jdbpy.sync, name)) for name in reference.FUNCTIONS]
    for name in reference.CLASSES:
        cls = getattr(jdbpy.sync, name)
        found += [(f"{name}.{each}", member) for each, member in reference.members(cls) if each in vars(cls)]
    return found


ASKS = re.compile(r"self\._(await|ask|ask_made|iterate)\(")
OF_ANOTHER = r"[Aa]s ``|[Aa]s of ``|[Ss]ee ``|``read_string`` with"
SAYS = re.compile(rf"wire:|[Nn]o trip|{OF_ANOTHER}")


def test_every_name_has_a_docstring() -> None:
    assert [name for name, member in every_member() if len((member.__doc__ or "").split()) < 3] == []


def test_what_asks_says_what_it_costs() -> None:
    silent = []
    for name, member in every_member():
        function = member.fget if isinstance(member, property) else member
        if function is not None and ASKS.search(inspect.getsource(function)) and not SAYS.search(member.__doc__ or ""):
            silent.append(name)
    assert silent == []


def test_what_has_arguments_says_what_it_raises_or_that_of_another() -> None:
    """An argument may be wrong: what comes of it is said."""
    words = re.compile(rf"[Rr]aise|is not an error|resumed when|{OF_ANOTHER}")
    silent = [
        name
        for name, member in every_member()
        if inspect.isfunction(member)
        and len(inspect.signature(member).parameters) > 1
        and ASKS.search(inspect.getsource(member))
        and not words.search(member.__doc__ or "")
    ]
    assert silent == []


UNITS = {
    "timeout": r"second",
    "seconds": r"second",
    "every": r"second",
    "max_suspend": r"second",
    "depth": r"object|reference|level|fields",
    "longest": r"character",
    "most": r"character|frame|byte|value|object|more than|node|instance|row|method",
    "limit": r"a second",
    "stack": r"frame",
    "count": r"next|time|values|step|frames|of them|instruction|line|classes",
}


def test_numbers_have_their_units() -> None:
    """What a number counts is said in the docstring, or in that of the name to which it refers."""
    silent = []
    for name, member in every_member():
        if not inspect.isfunction(member):
            continue
        doc = member.__doc__ or ""
        for each in inspect.signature(member).parameters:
            if each in UNITS and not re.search(f"{UNITS[each]}|{OF_ANOTHER}", doc):
                silent.append(f"{name}({each})")
    assert silent == []


def test_what_gives_a_container_says_of_what() -> None:
    """A list or a dict of anything is no shape."""
    silent = []
    for name, member in every_member():
        function = member.fget if isinstance(member, property) else member
        returned = str(inspect.signature(function).return_annotation) if function is not None else ""
        bare = returned in ("list", "dict", "tuple", "Any", "list[Any]", "object")
        if bare and not re.search(r"``[\w.]+``|Python|JSON|kept|what is set", member.__doc__ or ""):
            silent.append(name)
    assert silent == []


def test_all_else_that_is_public_is_described() -> None:
    """The names of ``import jdbpy``: classes, functions with their errors, namespaces."""
    silent = []
    for name in jdbpy.__all__:
        found = getattr(jdbpy, name)
        if isinstance(found, int | float):
            continue
        doc = inspect.getdoc(found) or ""
        errors = not inspect.isfunction(found) or re.search(rf"[Rr]aise|{OF_ANOTHER}|audit|[Nn]ever", doc)
        if len(doc.split()) < 4 or not errors:
            silent.append(name)
    assert silent == []


def test_the_reference_is_up_to_date() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.text(), "./dev generate reference"


def test_an_answer_is_asked_for_once() -> None:
    asked: list[int] = []

    async def ask() -> str:
        asked.append(1)
        return "x"

    later = lazy.Lazy(ask)
    assert repr(later) == "<Lazy: to be awaited>"
    for _ in range(2):
        with pytest.raises(StopIteration, match="x"):
            later.__await__().send(None)
    assert asked == [1]
    assert repr(later) == "'x'"
