"""A profile from samples of all stacks, for targets without a flight recorder.

Each sample suspends all threads while the agent collects the stacks. Threads stop only at safepoints, so short methods
between safepoints are underrepresented.
"""

from __future__ import annotations

from jdbpy.drawing.units import NANOS
from jdbpy.profiles.kinds import CPU, WALL
from jdbpy.profiles.profile import SAMPLING, Profile
from jdbpy.session.inspect.sampling import Sampler

_WAITING = frozenset(
    {
        "java.lang.Object.wait", "java.lang.Object.wait0", "java.lang.Thread.sleep", "java.lang.Thread.sleep0",
        "java.lang.Thread.sleepNanos0", "jdk.internal.misc.Unsafe.park", "sun.misc.Unsafe.park",
        "java.net.SocketInputStream.socketRead0", "java.net.PlainSocketImpl.socketAccept",
        "java.net.DualStackPlainSocketImpl.accept0", "sun.nio.ch.Net.poll", "sun.nio.ch.Net.accept",
        "sun.nio.ch.EPoll.wait", "sun.nio.ch.EPollArrayWrapper.epollWait", "sun.nio.ch.KQueue.poll",
        "sun.nio.ch.SocketDispatcher.read0", "java.io.FileInputStream.readBytes", "java.io.FileInputStream.readBytes0",
        "java.lang.ref.Reference.waitForReferencePendingList", "java.lang.ProcessImpl.waitFor",
        "java.lang.ProcessHandleImpl.waitForProcessExit0",
    }
)  # fmt: skip
"""Methods in which a thread waits, whatever its reported state."""


async def profile_of(sampler: Sampler, kind: str) -> Profile:
    """Return a sampler's findings as a profile. ``cpu`` leaves out waiting threads."""
    sampled = await sampler.stacks_found()
    profile = Profile(kind, NANOS, "time that passes" if kind == WALL else "time in which threads run")
    profile.source = SAMPLING
    profile.seconds = sampled.seconds
    for thread, path, seconds in sampled.stacks:
        if kind != CPU or (path and path[-1] not in _WAITING):
            profile.add(path, int(seconds * 1e9), thread)
    profile.samples = sampled.looks
    profile.notes = (
        f"{sampled.looks} samples of all stacks; the longest held everything up for {sampled.held_up * 1000:.0f} ms",
        "threads are seen at safepoints only, so what loops do between them counts for their next one",
    )
    return profile
