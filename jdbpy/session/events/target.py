"""The target as all parts of the session share it: the connection, ``Suspension``, the caches, the way to the
listeners.

It owns no behavior of a debugger: breakpoints, stepping, stacks and values are components that are built on it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from jdbpy.errors import Disconnected, StateError
from jdbpy.session.events.answers import Answers
from jdbpy.session.events.decisions import Decisions
from jdbpy.session.events.ending import EndingThreads
from jdbpy.session.events.frame_ids import FrameIdPredictor
from jdbpy.session.events.hit_rates import HitTimes
from jdbpy.session.events.invocations import Invocations
from jdbpy.session.events.last_breakpoints import LastBreakpoints
from jdbpy.session.events.own_threads import OwnThreads
from jdbpy.session.events.requests import RESUME, RequestTable, StopPlan, Verdict
from jdbpy.session.events.selection import Selection
from jdbpy.session.events.streams import Publisher
from jdbpy.session.events.suspension import SuspendOp, Suspension
from jdbpy.session.extension import Extension, Extensions
from jdbpy.session.jvm.changed_code import ChangedCode
from jdbpy.session.jvm.code_guard import CodeGuard
from jdbpy.session.jvm.latency import Latency
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Event, Exited, Notice, Stopped, StopReason
from jdbpy.session.model.snapshots import SnapshotInfo
from jdbpy.session.model.vm import VmInfo, VmState
from jdbpy.wire.command import Command, Empty
from jdbpy.wire.connection import Connection
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import object_reference, thread_reference, virtual_machine
from jdbpy.wire.pending import OnReply, Pending
from jdbpy.wire.reply_cache import Recall

if TYPE_CHECKING:
    import trio

    from jdbpy.session.events.clients import Clients
    from jdbpy.session.events.frames import FrameMemory
    from jdbpy.session.events.prefetch import LikelyClasses, StopPlaces, StopsAhead
    from jdbpy.session.jvm.types import TypeCache
    from jdbpy.session.local.tunnel import PeerProcess
    from jdbpy.wire.lazy_records import Columns


P = TypeVar("P")

_NOTED = 64
"""Stops of which a recording knows that they were taken: of several takers the first one counts."""

_MOST_MET = 1_000
"""Threads met that are remembered."""


def needs_jvm(what: str, where: str = "a snapshot") -> StateError:
    """Return the error for what a session without a JVM cannot do: ``what`` in words, such as "running a method"."""
    return StateError(
        f"not in {where}: {what} needs the JVM",
        hint="'recorded' lists the calls"
        if "calls" in where
        else "what stacks, variables and fields hold can be looked at",
        code="SNAPSHOT",
    )


class DiagnosticCommands(Protocol):
    """A way to run HotSpot's diagnostic commands, those of ``jcmd``, that needs no thread at an event."""

    @property
    def pid(self) -> int:
        """Return the number of the JVM's process, where it runs."""

    async def run(self, line: str) -> str:
        """Run a command with its arguments and return what it prints. Raises UsageError in HotSpot's words."""

    async def thread_times(self) -> Mapping[int, float]:
        """Return the processor time of threads in seconds, by their ids in Java; {} where the JVM does not tell."""

    async def thread_file(self) -> bytes:
        """Return the JSON into which the JVM writes all its threads (Java 21), virtual ones included."""

    async def counters(self) -> bytes:
        """Return the file of counters that the JVM keeps for ``jstat``; b"" where there is none."""

    async def set_flag(self, name: str, value: str) -> None:
        """Set a flag of the running VM. Raises UsageError in HotSpot's words."""

    async def dump_heap(self, path: str, *, live: bool) -> None:
        """Write an HPROF file where the JVM runs. Raises UsageError in HotSpot's words."""


def needs_agent(what: str, line: str) -> StateError:
    """Return the error for what a JVM without the debugger agent cannot do; ``line`` is an option to start it with."""
    return StateError(
        f"{what} needs the debugger agent, which this JVM was started without",
        hint=f"start it with {line}",
        code="NEEDS_AGENT",
    )


class Frozen:
    """The suspension of all threads for a moment; ``resumed`` is its end, None where something else has ended it."""

    def __init__(self) -> None:
        self.resumed: Pending[Empty] | None = None


class Target:
    """One debugged VM. Components keep a reference to it and nothing of each other.

    ``round_trip`` is what the handshake took, in seconds; ``directory`` and ``class_path`` are what the VM reports.
    """

    def __init__(
        self,
        conn: Connection,
        info: VmInfo,
        capabilities: virtual_machine.CapabilitiesNewReply,
        *,
        remote: bool = False,
        peer: PeerProcess | None = None,
        directory: str = "",
        class_path: tuple[str, ...] = (),
        via: str = "",
        hold: str = "",
        round_trip: float = 0.0,
        launched: bool = False,
    ) -> None:
        self.conn = conn
        self.info = info
        self.capabilities = capabilities
        self.hold = hold
        self._other_host = remote
        self._peer = peer
        self._directory = directory
        self._class_path = class_path
        self._via = via
        self.latency = Latency(round_trip)
        self.launched = launched
        self.suspension = Suspension()
        self.answers = Answers(conn)
        self.virtual_threads: dict[int, bool] = {}
        """Which threads are virtual, of those that were asked."""
        self.frameless: set[int] = set()
        """Threads of the VM's own that are not asked for their frames: see ``frameless``."""
        self.ending = EndingThreads(self)
        self.pinned: set[int] = set()
        """The ids of the objects that the user keeps from collection."""
        self.frame_id_predictor = FrameIdPredictor(self.suspension)
        self.guess_objects: Callable[[int, int], trio.Event | None] | None = None
        """Asks what the new objects are of which a stop of a thread will tell, so many; set where the link is slow."""
        self.decisions = Decisions()
        self.last_breakpoints = LastBreakpoints(self)
        self.requests = RequestTable(conn, before_step=self.last_breakpoints.before_step)
        self.invocations = Invocations(
            conn,
            self.suspension,
            self.may_be_virtual,
            suspend_less=self.requests.suspend_less,
            has_run=self.last_breakpoints.has_run_method,
        )
        self.own_threads = OwnThreads(self)
        self.selection = Selection()
        self.met: dict[int, None] = {}
        """Threads that have stopped or were selected, latest last. Virtual ones the agent does not list."""
        self.publisher = Publisher(self._select_shown)
        self.clients: Clients | None = None
        """The clients that share this target; None while there is only one."""
        self.client = ""
        """The name of the client to whom this target belongs, where there are several."""
        self.mine: Mapping[str, Any] = {}
        """The fields of a stop that say that it is this client's."""
        self.left = False
        """True if the client has left a session that goes on."""
        self.suspends = Counter[int]()
        """How often this client has suspended each thread (0: all) and not resumed it, where there are several."""
        self.taken: dict[int, Stopped] = {}
        """Stops of other clients that this one has selected, by thread."""
        self.last_stop: Stopped | None = None
        self._noted_stops: deque[Stopped] = deque(maxlen=_NOTED)
        """The last ones that the recording knows to be taken."""
        self.stops: dict[int, Stopped] = {}
        """The last stop of each thread."""
        self.steps_by_raw_lines = False
        self.played = False
        """True if a recording answers, and no JVM."""
        self.snapshot: SnapshotInfo | None = None
        """The snapshot that answers; None for a JVM."""
        self.agent_line = ""
        """In a session on a JVM without the debugger agent the option that would give it one; "" where it has it."""
        self.diagnostics: DiagnosticCommands | None = None
        """What runs diagnostic commands; None where a method of the target does, in a thread at an event."""
        self.named_paths: tuple[str, ...] = ()
        """Directories and archives of this machine that the user has named: the source path."""
        self.stops_at_failures = False
        """A class in which none of the breakpoints can be set that waited for it stops the target, as in jdb."""
        self.changed_code = ChangedCode()
        self.code_guard = CodeGuard()
        self.extensions = Extensions()
        self._notices = Counter[str]()
        self.hit_times = HitTimes()
        self._listed: Columns[virtual_machine.ClassInfoWithGeneric] | None = None
        self._parts: dict[type[Any], Any] = {}
        conn.recall = Recall(lambda: self.suspension.moment)

    @cached_property
    def tunnel(self) -> str:
        """Return what the JVM is reached through, "" if there is nothing, or nothing is known of.

        That is what an address has brought along, else a process of this machine at the other end of the connection.
        """
        if self._via:
            return self._via
        if self._peer is None:
            return ""
        return self._peer.tunnel(directory=self._directory, class_path=self._class_path)

    def found_jvm(self) -> None:
        """Take note that the process at the other end was seen to be a JVM: no tunnel has to be looked for."""
        if not self._via:
            self.tunnel = ""

    @property
    def remote(self) -> bool:
        """True if the JVM is on another machine, or behind a tunnel."""
        return self._other_host or bool(self.tunnel)

    @property
    def is_of_this_user(self) -> bool:
        """True if the JVM is certainly a process of this user on this machine, with the same files."""
        return self.launched or (self._peer is not None and not self.remote and self._peer.is_ours)

    @property
    def remote_reason(self) -> str:
        """Return a sentence on why the JVM counts as remote, and what breakpoints suspend; "" if it does not."""
        if self.launched or self.played or self.snapshot is not None or self.agent_line or not self.remote:
            return ""
        whom = "all threads" if self.default_policy is SuspendPolicy.ALL else "only the thread that hits"
        why = f"reached through {self.tunnel}, so it counts as remote" if self.tunnel else "on another machine"
        return f"{self.info.address} is {why}; 'break' suspends {whom}"

    @property
    def default_policy(self) -> SuspendPolicy:
        """Return what a breakpoint suspends unless its command says so."""
        thread = self.remote if self.hold not in ("thread", "all") else self.hold == "thread"
        return SuspendPolicy.THREAD if thread else SuspendPolicy.ALL

    def meet(self, thread: int) -> None:
        """Take in that the user has seen a thread. Of very many the oldest are forgotten."""
        self.met.pop(thread, None)
        self.met[thread] = None
        if len(self.met) > _MOST_MET:
            self.forget(next(iter(self.met)))

    def forget(self, thread: int) -> None:
        """Take in that a thread has ended, or is one of too many."""
        self.met.pop(thread, None)
        self.stops.pop(thread, None)

    def _select_shown(self, stop: Stopped) -> None:
        """Select the thread of a stop as it is shown; one that has suspended its thread only leaves the selection to a
        thread that stands at another stop and is looked at."""
        if self.conn.recorder is not None and not any(each is stop for each in self._noted_stops):
            self._noted_stops.append(stop)
            self.conn.recorder.stop()
        if not self.selection.is_first(stop):
            return  # shown by a stream and to a waiter: the user may have selected something since
        if stop.thread is None or not self.suspension.stands_since(stop.thread.id, stop.epoch):
            return
        if self.clients is not None and not self.clients.concerns(self.client, stop):
            return
        if stop.policy is SuspendPolicy.ALL or not self.works_elsewhere(stop.thread.id):
            self.selection.select(stop.thread, stop.frame.index if stop.frame is not None else 1)

    def works_elsewhere(self, thread: int) -> bool:
        """True if another thread is selected and still stopped: the user is at work there."""
        selected = self.selection.thread
        return selected is not None and selected.id != thread and self.suspension.stopped_by_event(selected.id)

    def part(self, kind: type[P], make: Callable[[Target], P]) -> P:
        """Return the one object of a class on a floor above that belongs to this target.

        ``make`` makes it when it is first asked for. So the floors above keep what they know of a target with it, and
        nothing here depends on them.
        """
        found: P | None = self._parts.get(kind)
        if found is None:
            found = self._parts[kind] = make(self)
        return found

    # Loaded when they are first needed

    @cached_property
    def types(self) -> TypeCache:
        from jdbpy.session.jvm.types import TypeCache

        types = TypeCache(self.conn)
        if self._listed is not None:
            types.cache_all(self._listed)
            self._listed = None
        return types

    def cache_all(self, listed: Columns[virtual_machine.ClassInfoWithGeneric]) -> None:
        """Take in the answer of AllClassesWithGeneric. Who only lists classes needs no cache of them."""
        if "types" in vars(self):
            self.types.cache_all(listed)
        else:
            self._listed = listed

    @cached_property
    def frame_memory(self) -> FrameMemory:
        from jdbpy.session.events.frames import FrameMemory

        return FrameMemory(self.suspension)

    @cached_property
    def likely(self) -> LikelyClasses:
        from jdbpy.session.events.prefetch import LikelyClasses

        return LikelyClasses(self.types)

    @cached_property
    def stop_places(self) -> StopPlaces:
        from jdbpy.session.events.prefetch import StopPlaces

        return StopPlaces(self.types)

    @cached_property
    def stops_ahead(self) -> StopsAhead:
        from jdbpy.session.events.prefetch import StopsAhead

        return StopsAhead(self)

    @property
    def high_latency(self) -> bool:
        """True if a trip takes so long that it is worth asking for what is not sure to be needed."""
        return self.latency.is_high

    @property
    def state(self) -> VmState:
        ending = self.publisher.ending
        if ending is not None:
            return VmState.EXITED if isinstance(ending, Exited) else VmState.DISCONNECTED
        return VmState.STOPPED if self.suspension.anything_held else VmState.RUNNING

    def publish(self, event: Event) -> None:
        if isinstance(event, Notice):
            self._notices[event.kind] += 1
        self.publisher.publish(event)

    def tell_others(self, kind: str, text: str, *data: tuple[str, object]) -> None:
        """Publish for the other clients of a shared session what this one has done."""
        if self.clients is not None:
            by = f" ({self.client})" if self.client else ""
            self.clients.tell(self.client, Notice(kind, text + by, (*data, ("client", self.client))))

    async def verdict_on_prepared(self, set_waiting: Callable[[], Awaitable[None]]) -> Verdict:
        """Set what waited for a class that is prepared; the verdict on that event. wire: as that takes."""
        before = self._notices.copy()
        await set_waiting()
        new = self._notices - before
        stops = self.stops_at_failures and new["breakpoint-failed"] and not new["breakpoint-resolved"]
        return StopPlan(StopReason.CLASS_PREPARE, {}, everything=True) if stops else RESUME

    def can(self, capability: str) -> bool:
        """True if the target has the capability: a field of VirtualMachine.CapabilitiesNew, ``canPopFrames``."""
        return bool(getattr(self.capabilities, capability))

    @property
    def release(self) -> int:
        """Return the agent's JDWP version, which is that of its Java release (1.8 counts as 8)."""
        return self.info.jdwp_minor if self.info.jdwp_major == 1 else self.info.jdwp_major

    def at_least(self, feature_version: int) -> bool:
        """True if the agent's JDWP version is that of the given Java release or later."""
        return self.release >= feature_version

    def why_code_stays(self) -> str:
        """Return why the code of classes cannot be changed; "" if it can. No trip."""
        if not self.can("canRedefineClasses"):
            return "this VM cannot redefine classes"
        commands = (virtual_machine.RedefineClasses, object_reference.InvokeMethod)
        return "" if all(self.conn.allows(each) for each in commands) else "the session is read-only"

    def interrupts_later(self, thread: int) -> bool:
        """True if ``interrupt`` reaches the thread only when it runs on (docs/agent.md, "Interrupt and Stop at an
        event"): after the method that it runs, too."""
        at_event = thread in self.suspension.evaluating or self.suspension.stopped_by_event(thread)
        return at_event and not self.at_least(25)

    def step_by_raw_lines(self) -> None:
        """Make the agent step by the lines of class files, where there are source maps; sent once, wait for nothing.

        Left to itself it steps by the lines of a class's default stratum, and takes equal numbers in two files of that
        for one line (SDE.c): what lines mean is for the debugger to say. In a read-only session it is left to itself.
        """
        may = self.can("canSetDefaultStratum") and self.conn.allows(virtual_machine.SetDefaultStratum)
        if not self.steps_by_raw_lines and may:
            from jdbpy.session.java.smap import JAVA

            self.steps_by_raw_lines = True
            self.conn.submit(virtual_machine.SetDefaultStratum(JAVA))

    def require_jvm(self, what: str) -> None:
        """Raises StateError in a session on a snapshot: ``what``, in words, needs the JVM. Also ``require_agent``."""
        if self.snapshot is not None:
            raise needs_jvm(what, self.snapshot.noun)
        self.require_agent(what)

    def require_agent(self, what: str) -> None:
        """Raises StateError in a session on a JVM without the debugger agent: ``what``, in words, needs that."""
        if self.agent_line:
            raise needs_agent(what, self.agent_line)

    def require_alive(self) -> None:
        """Raises StateError when the target has ended, Disconnected when the connection is gone."""
        ending = self.publisher.ending
        if isinstance(ending, Exited):
            raise StateError("the target has ended", hint="start it again, or attach to another", code="VM_DEAD")
        if ending is not None:
            raise Disconnected(ending.reason)

    def may_be_virtual(self, thread: int) -> bool:
        """True unless the thread is known to be a platform thread.

        A virtual one that runs is not suspended of the debugger's own accord: if it is ending, the agent aborts the
        JVM (docs/agent.md, "Suspending a virtual thread that is ending").
        """
        return self.at_least(21) and self.virtual_threads.get(thread) is not False

    def submit_op(
        self,
        op: SuspendOp,
        thread: int = 0,
        *,
        by_event: bool = False,
        brief: bool = False,
        on_reply: OnReply[Empty] | None = None,
    ) -> Pending[Empty]:
        """Submit a command that changes suspend counts and enter it in ``Suspension`` in the same breath."""
        match op:
            case SuspendOp.VM_SUSPEND:
                command: Command[Empty] = virtual_machine.Suspend()
            case SuspendOp.VM_RESUME:
                for each in self.suspension.running_alone():
                    if not self.may_be_virtual(each):
                        self.submit_op(SuspendOp.THREAD_SUSPEND, each)
                command = virtual_machine.Resume()
            case SuspendOp.THREAD_SUSPEND:
                command = thread_reference.Suspend(ThreadID(ObjectID(thread)))
            case SuspendOp.THREAD_RESUME:
                command = thread_reference.Resume(ThreadID(ObjectID(thread)))
        self.conn.require_allowed(command)
        if self.invocations.any:
            self.invocations.before(op, thread)
        self.suspension.apply(op, thread, by_event=by_event, brief=brief)
        if not self.invocations.any and (op is SuspendOp.VM_RESUME or op is SuspendOp.THREAD_RESUME):
            self._fit_requests()
        abandoned = None
        if op is SuspendOp.VM_SUSPEND or op is SuspendOp.THREAD_SUSPEND:
            abandoned = partial(self._take_back, thread, self.suspension.resumed(thread))
        pending = self.conn.submit(command, on_reply=on_reply, on_abandoned=abandoned)
        if op in (SuspendOp.VM_RESUME, SuspendOp.THREAD_RESUME):
            for extension in self.extensions.of(Extension.resumed):
                extension.resumed()
        return pending

    def was_suspended(self) -> None:
        """Tell extensions that the user has suspended something."""
        for extension in self.extensions.of(Extension.suspended):
            extension.suspended()

    def _fit_requests(self) -> None:
        """Have hits suspend their thread only, while a virtual thread runs and the others are suspended: an event that
        suspends everything would not suspend that one (docs/agent.md, "Suspending them all happens once"). wire: no
        wait.
        """
        if any(map(self.may_be_virtual, self.suspension.running_alone())):
            self.requests.suspend_less()
        else:
            self.requests.suspend_again()

    @contextmanager
    def frozen(self) -> Iterator[Frozen]:
        """Suspend all threads for the time of a block: no stop, and `cont` leaves it. wire: no wait.

        Nothing waits for the suspend, so nothing but this takes it back. What resumes everything ends it.
        """
        frozen = Frozen()
        self.submit_op(SuspendOp.VM_SUSPEND, brief=True)
        before = self.suspension.resumed(0)
        try:
            yield frozen
        finally:
            with suppress(Disconnected):
                if self.suspension.resumed(0) == before:
                    frozen.resumed = self.unsuspend_all(brief=True)

    def unsuspend(self, thread: int) -> None:
        """Take back one suspend of a thread, 0: of all threads. wire: no wait."""
        if thread:
            self.submit_op(SuspendOp.THREAD_RESUME, thread)
        else:
            self.unsuspend_all()

    def unsuspend_all(
        self, *, brief: bool = False, but: int = 0, on_reply: OnReply[Empty] | None = None
    ) -> Pending[Empty]:
        """Take back one suspend of all threads. Threads that ran alone meanwhile and have stopped stay suspended,
        except ``but``. wire: no wait."""
        with self.conn.corked:
            for each in self.suspension.stopped_alone(brief=brief, but=but):
                self.submit_op(SuspendOp.THREAD_SUSPEND, each, by_event=True)
            return self.submit_op(SuspendOp.VM_RESUME, brief=brief, on_reply=on_reply)

    def _take_back(self, thread: int, resumed: int, command: Command[Any], reply: Any) -> None:
        """Undo a suspend whose waiter was cancelled, unless another command has resumed the VM or thread meanwhile.

        One more Resume would release a thread whose event is just coming in. It is like any other (``submit_op``):
        threads that run alone keep their events, and hits that were put off until then are due.
        """
        if self.suspension.resumed(thread) == resumed:
            with suppress(Disconnected), self.conn.corked:
                self.unsuspend(thread)
