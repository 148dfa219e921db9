"""Frames that are in a class already, before its code is changed.

A redefinition takes effect for calls that come later. A frame that is there runs the code of before, in which no
breakpoint can be set any more, and runs it interpreted until it returns, as all frames of the class do. So code is
changed only while no frame can come to the place again, or to another breakpoint, and none of the class is in a loop.

The agent does not tell the method of such a frame (docs/agent.md, "Frames of an old version"), so it has no lines and
no names of variables. So a method keeps its code while a thread in it has stopped, or is about to: one that steps, or
that stands at a breakpoint where its hit is not known to pass. And unless the user has asked for the change, it keeps
its code while any call of it is under way: that may come to a stop further down, where its frame is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import NamedTuple

from jdbpy.errors import JdwpError
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.in_target.stopping import Stack, Stopping
from jdbpy.session.java.bytecode import leads_to, returns_at
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.changed_code import ChangedClass
from jdbpy.session.jvm.refs import OBSOLETE
from jdbpy.wire.ids import CodeLocation, MethodID
from jdbpy.wire.messages import thread_reference, virtual_machine


class Blocker(NamedTuple):
    """The reason why the code of a class must stay as it is for now.

    ``until_left``: the frame in the way is the one in which a thread stands at the event. ``for_a_stop``: the one in
    the way is of a stop, or may become one. ``unless_asked``: it is in a loop, which would go on interpreted, or the
    call goes on in the code of before.
    """

    reason: str
    until_left: bool = False
    for_a_stop: bool = False
    unless_asked: bool = False


async def has_virtual_threads(target: Target) -> bool:
    """True if the program has ever started a virtual thread: the agent lists none of them. wire: 1 trip, none for
    releases without them."""
    if not target.at_least(21):
        return False
    carriers = virtual_machine.ClassesBySignature("Ljdk/internal/misc/CarrierThread;")
    return bool((await target.conn.request(carriers)).classes)


async def why_not_now(
    target: Target,
    changed: ChangedClass,
    places: Iterable[tuple[MethodID, int]],
    others: Iterable[tuple[MethodID, int]] = (),
    *,
    changing: Collection[MethodID],
    stopping: Stopping,
    at_event: int = 0,
    asked: bool = False,
    whole: bool = False,
) -> Blocker | None:
    """Return why the code of a class must stay as it is for now, None if it need not; all threads must be suspended.

    The class is one that has been changed, or is about to be: its class file is known.
    ``places`` are to be changed, by method and code index as they are now; at ``others`` stand breakpoints.
    ``changing`` are the methods that get other code. ``stopping`` knows who may stop. ``at_event`` is a thread that
    stands at an event and is past its place. ``asked``: loops that come to none of these may go on interpreted.
    ``whole``: no call of ``changing`` may be under way, but that in which the thread at the event is about to return.
    wire: 2 trips, 1 more for code that is not known, some for conditions of hits.
    """
    type_ = changed.type
    every = await target.ending.list_threads()
    listed = [each for each in every if each not in target.frameless]
    threads = [*listed, *(wire_thread(each) for each in sorted(stopping.held.difference(listed)))]  # virtual ones
    frames_of = [thread_reference.Frames(each, 0, -1) for each in threads]
    outcomes = await target.conn.batch([*frames_of, *(thread_reference.SuspendCount(each) for each in threads)])
    found: list[tuple[bool, bool, CodeLocation]] = []
    in_changing: list[Stack] = []
    for thread, frames, count in zip(threads, outcomes[: len(threads)], outcomes[len(threads) :], strict=True):
        if isinstance(frames, JdwpError):
            continue
        hit = thread == at_event or (not isinstance(count, JdwpError) and count.suspendCount > 1)
        here = [(i, each.location) for i, each in enumerate(frames.frames) if each.location.classID == type_.id]
        found += [(hit and not index, thread == at_event and not index, at) for index, at in here]
        if thread != at_event and any(at.methodID in changing for _, at in here):
            in_changing.append((thread, frames.frames))
    if any(at.methodID == OBSOLETE for *_, at in found):
        return Blocker("a call is under way that began before the class was changed")
    keys = {(type_.id, at.methodID) for *_, at in found}
    codes = await target.types.facts.many(facts.BYTECODES, keys)
    methods = {each.id: each for each in (await target.types.methods([type_.id]))[type_.id]}
    wanted = list(places)
    further = [each for each in others if each not in wanted]
    under_way: Blocker | None = None
    for past, is_at_event, at in found:
        code = codes.get((type_.id, at.methodID), b"")
        method_of = methods[at.methodID]
        name = method_of.name
        # where something was put in, the handlers of the own code stand elsewhere
        handlers = None if at.methodID in changed.maps else changed.handlers.get((name, method_of.signature))

        def comes_to(
            those: Iterable[tuple[MethodID, int]],
            past: bool = past,
            at: CodeLocation = at,
            way: Callable[[int], bool] = partial(leads_to, code, at.index, handlers=handlers),
        ) -> bool:
            indices = [index for method, index in those if method == at.methodID]
            return any((at.index == each and not past) or way(each) for each in indices)

        if comes_to(wanted):
            return Blocker(f"{name} can come to the line again")
        if not asked and leads_to(code, at.index, at.index, handlers):
            return Blocker(f"{name} is in a loop of the same class", unless_asked=True)
        if comes_to(further):
            return Blocker(f"{name} can come to another breakpoint", until_left=is_at_event)
        if whole and at.methodID in changing and not (is_at_event and returns_at(code, at.index)):
            until_left = is_at_event or (under_way is not None and under_way.until_left)
            under_way = Blocker(f"a call of {name} is under way", until_left=until_left, unless_asked=True)
    if whole and stopping.steps(at_event):
        return Blocker("a thread that steps is in it", for_a_stop=True)
    reason = await stopping.why(in_changing)
    return Blocker(reason, for_a_stop=True) if reason else under_way
