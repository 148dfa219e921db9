"""What the session itself spends on an event set that stops nothing: decoding, finding the owner, letting go."""

from __future__ import annotations

import time
from unittest.mock import patch

import trio

import jdbpy
from benchmarks.bench import Bench, in_thread
from benchmarks.figures import Result, Sample
from benchmarks.rivals.bare import THREAD, BareStop
from benchmarks.rivals.floor import Floor
from benchmarks.rivals.stopped import Place
from jdbpy.session.events.requests import RESUME, RequestHit, Verdict
from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.framing import REPLY, Framer, Packet, encode_command, encode_packet
from jdbpy.wire.ids import CodeLocation, MethodID, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event, event_request

_HIT = Place("Loop", "hit")
_HITS = 5_000


async def run(bench: Bench) -> list[Result]:
    """Method entries that suspend the thread and are resumed at once: processor time of the debugger for one
    of them.
    """

    async def by_session() -> Sample:
        async with bench.near_target("Loop") as link, jdbpy.attach_session(link.address) as session:
            done = trio.Event()
            seen, start, end = 0, 0.0, 0.0

            def pass_on(_: RequestHit) -> Verdict:  # no coroutine, as points have it whose hit is only counted
                nonlocal seen, start, end
                seen += 1
                if seen == 1:
                    start = time.process_time()
                elif seen == 1 + _HITS:
                    end = time.process_time()
                    done.set()
                return RESUME

            modifiers = [event_request.ClassMatch(_HIT.program)]
            requests = session._target.requests  # the kernel alone, without what a component would add
            await requests.add(EventKind.METHOD_ENTRY, JdwpSuspendPolicy.EVENT_THREAD, modifiers, pass_on)
            await done.wait()
            return Sample((end - start) / _HITS)

    async def by_floor() -> Sample:
        async with bench.near_target("Loop") as link:

            def work() -> Sample:
                with Floor(link.host, link.port) as floor:
                    stop = BareStop(floor, _HIT.program, _HIT.line, THREAD)
                    start = time.process_time()
                    for _ in range(_HITS):
                        floor.post([(11, 3, stop.thread)])
                        stop.await_stop()
                    return Sample((time.process_time() - start) / _HITS)

            return await in_thread(work)

    async def by_own_code() -> Sample:
        """Packets of an event that never happened, and of the replies to what lets it go: nothing is sent."""
        async with bench.near_target("Loop") as link, jdbpy.attach_session(link.address) as session:
            target = session._target
            modifiers = [event_request.ClassMatch("no.such.Class")]
            request = await target.requests.add(
                EventKind.METHOD_ENTRY, JdwpSuspendPolicy.EVENT_THREAD, modifiers, lambda _: RESUME
            )
            place = CodeLocation(1, ReferenceTypeID(2), MethodID(3), 0)
            entered = event.MethodEntry(request.id, ThreadID(ObjectID(1)), place)
            composite = GeneratedCodec().encode(event.Composite(JdwpSuspendPolicy.EVENT_THREAD, [entered]))
            packet = encode_command(0, event.Composite.COMMAND_SET, event.Composite.COMMAND, composite)
            framer = Framer()
            with patch.object(target.conn._packets, "send", lambda data: None):
                start = time.process_time()
                for _ in range(_HITS):
                    reply = encode_packet(Packet(target.conn._next_id, REPLY, 0, 0, 0, b""))
                    framer.feed(packet + reply)
                    for each in framer:
                        target.conn._dispatch(each)
                return Sample((time.process_time() - start) / _HITS)

    work = "processor time of an event that is let go"
    contenders = {"floor": by_floor, "jdbpy": by_session, "jdbpy, without the system's part and trio's": by_own_code}
    return [await bench.compare(work, "loopback", contenders)]
