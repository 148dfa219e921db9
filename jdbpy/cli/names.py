"""The names that completion may offer: names that are already known, as plain data.

Owns the record only. A front end swaps it whole when something changes; nothing here asks the target.
"""

from __future__ import annotations

from collections.abc import Mapping

from jdbpy.record import Record

_NOTHING: Mapping[str, tuple[str, ...]] = {}
_NO_MEMBERS: Mapping[str, tuple[tuple[str, str], ...]] = {}


class Names(Record):
    """Known names by kind. All are as the user would type them."""

    commands: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    not_loaded: tuple[str, ...] = ()  # classes that are there and not loaded, as far as they were found
    methods: Mapping[str, tuple[str, ...]] = _NOTHING  # of a class, by its full name
    fields: Mapping[str, tuple[str, ...]] = _NOTHING  # of a class, by its full name
    in_recorded_call: bool = False  # one is open: variables are those there
    variables: tuple[tuple[str, str], ...] = ()  # of the selected frame: (name, type)
    members: tuple[str, ...] = ()  # fields of `this` in the selected frame
    threads: tuple[tuple[int, str], ...] = ()
    thread_groups: tuple[str, ...] = ()
    breakpoints: tuple[tuple[int, str], ...] = ()  # (number, location)
    breakpoint_places: tuple[tuple[str, str], ...] = ()  # of breakpoints with several: ("1.2", "Order.total:42")
    frames: int = 0  # frames of the selected thread
    sources: tuple[str, ...] = ()  # "Order.java"
    settings: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    displays: tuple[int, ...] = ()
    saved: tuple[str, ...] = ()  # names of saved values, without their `$`
    properties: tuple[str, ...] = ()  # of the system, as far as they were listed
    flags: tuple[str, ...] = ()  # of the VM, as far as they were listed
    modules: tuple[str, ...] = ()  # as far as they were listed
    loggers: tuple[str, ...] = ()  # as far as they were listed
    mbeans: tuple[str, ...] = ()  # as far as they were listed
    recorded: tuple[tuple[int, str], ...] = ()  # recorded calls, the last ones: (number, method)
    mbean_members: Mapping[str, tuple[tuple[str, str], ...]] = _NO_MEMBERS  # of an MBean that was shown: (name, kind)
    jvms: tuple[str, ...] = ()  # that are debugged here


class Candidate(Record):
    """One completion: ``text`` takes the place of the last ``replaces`` characters before the cursor."""

    text: str
    replaces: int
    meta: str = ""  # a word about it: "class", "local int"
