"""Suspend counts, and the epochs that say how long a frame is good for.

Pure bookkeeping: it mirrors what the agent counts (docs/agent.md, section "Suspend counts and event sets"), says which
commands undo which holds, and never speaks to the target itself. Every change is entered when its command is
*submitted*, because the event that a resume causes may arrive before the reply of that resume.

The rules:

* The agent keeps one count a thread. A suspend of the VM, or an event with policy ALL, adds one to every thread; a
  resume of the VM takes one from every thread that has one; threads born meanwhile start with the count of the VM.
* We keep apart why a thread is held: by the whole VM (``vm_holds``), by an event of its own (``event_holds``), by
  the user's ``suspend THREAD`` (``user_holds``), or by the debugger for a moment (``brief_holds``,
  ``brief_vm_holds``). ``cont`` releases the first two and leaves the others, ``resume`` leaves only the last.
* A frame id is valid from a stop until its thread really runs (count 1 -> 0) or runs an invoked method. Each such step
  adds one to the thread's epoch. The frame itself outlives the method, and gets a new id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum

from jdbpy.errors import StateError
from jdbpy.session.model.threads import FrameInfo, Suspended

Moment = tuple[int, int]


class SuspendOp(Enum):
    """A command of the agent that changes suspend counts."""

    VM_SUSPEND = "VirtualMachine.Suspend"
    VM_RESUME = "VirtualMachine.Resume"
    THREAD_SUSPEND = "ThreadReference.Suspend"
    THREAD_RESUME = "ThreadReference.Resume"


class Unfit(Enum):
    """Why no method can be run in a thread that an event has stopped."""

    FIRST_EXCEPTION = "the exception of onthrow"
    """It stands at the exception that the agent has waited for: an invocation would let it run on instead."""
    FORCED_RETURN = "a forced return"
    """Its top method is to return at once: an invoked method would return that value instead."""


class Suspension:
    """Suspend counts and epochs of one target. Thread ids are JDWP's; all methods are synchronous and pure."""

    def __init__(self) -> None:
        self.vm_holds = 0
        self.event_holds: dict[int, int] = {}  # how many of each thread, and none of 0
        self.user_holds: dict[int, int] = {}
        self.brief_holds: dict[int, int] = {}
        """Of each thread how often the debugger has suspended it for a moment, of its own accord: that is no stop."""
        self.brief_vm_holds = 0
        """The number of ``vm_holds`` that are for a moment."""
        self.user_vm_holds = 0
        """The number of ``vm_holds`` that the user has added to what a stop suspends (``suspend`` without a thread)."""
        self.own: set[int] = set()
        """The threads of the debugger's own, those that have ended too: each is suspended once more than all others,
        which is no stop, and no event of it is one."""
        self.evaluating: set[int] = set()  # threads that run an invoked method now
        self.methods: dict[int, tuple[str, str]] = {}
        """By thread, the name of the method that it runs, or has run last, and what ends that, in words."""
        self.undecided: tuple[int, bool] | None = None
        """The thread of an event that may turn out to be none to stop at, and whether it holds everything: nobody has
        seen it stop, so ``cont`` does not release it."""
        self.asked: set[int] = set()
        """Threads that an event has suspended, each alone, whose conditions are computed side by side: like
        ``undecided``, nobody has seen them stop. One that is resumed meanwhile is none of them any more."""
        self.overruled = False
        """True if what ``undecided`` suspends was resumed before that was decided: by the watchdog, or by ``panic``. It
        is no stop then, and is not resumed once more."""
        self._base = 0  # the agent's count of every thread that is not in _counts
        self._counts: dict[int, int] = {}
        self._at_event: set[int] = set()
        self._unfit: dict[int, tuple[int, Unfit]] = {}  # by thread: ``stop_of``, and why no method is run in it
        self._let_run: set[int] = set()
        self._vm_epoch = 0
        self._own_epoch: Counter[int] = Counter()
        self._stayed: Counter[int] = Counter()  # epochs that ended without the thread going on
        self._pops: Counter[int] = Counter()  # of those, the ones that ended with a pop
        self._first_epoch: dict[int, tuple[int, int]] = {}  # by thread: ``frames_of``, and since which epoch it is that

    # What is

    def count(self, thread: int) -> int:
        """Return the agent's suspend count of the thread."""
        return self._counts.get(thread, self._base)

    def counts(self) -> tuple[int, dict[int, int]]:
        """Return the agent's count of most threads, and those of the threads that have another one."""
        return self._base, dict(self._counts)

    def is_suspended(self, thread: int) -> bool:
        return self.count(thread) > 0

    @property
    def anything_held(self) -> bool:
        """True if any thread is suspended otherwise than for a moment or by an event without a verdict."""
        return self.everything_stopped or any(map(self.is_stopped, self._own_threads()))

    @property
    def everything_stopped(self) -> bool:
        """True if the whole VM is suspended otherwise than for a moment or by an event without a verdict."""
        return self._base > self._not_stopped_base

    def is_stopped(self, thread: int) -> bool:
        """True if more suspends the thread than the debugger itself does, for a moment or for an event without a
        verdict."""
        return self.count(thread) > self._not_stopped(thread)

    def is_being_decided(self, thread: int) -> bool:
        """True if all that suspends the thread is an event of which it is still to be decided whether it is a stop."""
        undecided = self.undecided is not None and (self.undecided[1] or self.undecided[0] == thread)
        return 0 < self.count(thread) <= (thread in self.asked) + undecided

    @property
    def deciding(self) -> bool:
        """True if an event is still to be decided."""
        return self.undecided is not None or bool(self.asked)

    def is_held_otherwise(self, thread: int) -> bool:
        """True if more suspends the thread than an event whose condition is being computed."""
        return self.count(thread) > (thread in self.asked)

    @property
    def everything_held(self) -> bool:
        """True if the whole VM is held, and not only for a moment."""
        return self._base > self.brief_vm_holds

    @property
    def frozen(self) -> bool:
        """True if the whole VM is held, if only for a moment."""
        return self._base > 0

    def running_alone(self) -> list[int]:
        """Threads that run while the VM is suspended, but for an evaluation, in rising order of their ids.

        The agent may have sent an event of such a thread which is still on its way, and a resume of the VM takes from
        every count above 0: each is suspended just before, so that its event's own count stays; but for virtual
        threads, which may be ending (``Target.may_be_virtual``).
        """
        if not self._base or not self._counts:
            return []
        return sorted(thread for thread, count in self._counts.items() if not count and thread not in self.evaluating)

    def runs_alone(self, thread: int) -> bool:
        """True if the thread was resumed while the VM is suspended, and has had no event since.

        A further suspend of the VM only counts for it where it is virtual (docs/agent.md, "Suspending them all happens
        once").
        """
        return thread in self._let_run

    def stopped_alone(self, *, brief: bool = False, but: int = 0) -> list[int]:
        """Return threads that have run while the VM is suspended and were stopped since, in rising order of their ids:
        a resume of the VM would take from what holds them, or resume them while the others stay suspended.

        ``brief``: the resume ends a brief suspend; ``but``: the thread that is to be resumed.
        """
        others_stay = not brief and self._base - self.brief_vm_holds > 1

        def loses(thread: int) -> bool:
            count = self.count(thread)
            last = others_stay and thread != but and count - self._brief(thread, count) == 1
            return last or 0 < count <= self._own(thread)

        return sorted(each for each in self._own_threads() if each not in self.evaluating and loses(each))

    def held_threads(self) -> list[int]:
        """Threads that are held on their own, beside or instead of the whole VM, and not only for a moment."""
        threads = [each for each in self._own_threads() if each not in self.own]
        return [each for each in threads if (count := self.count(each)) > self._brief(each, count)]

    def stopped_by_event(self, thread: int) -> bool:
        """True if the thread stands at the event that stopped it: only then may it invoke methods (``invoker.c``)."""
        return thread in self._at_event and self.is_suspended(thread)

    def unfit(self, thread: int) -> Unfit | None:
        """Return why no method may be run in the thread although it stands at an event; None if that is possible."""
        since, why = self._unfit.get(thread, (0, None))
        return why if since == self.stop_of(thread) else None

    def stood_at_event(self, thread: int) -> None:
        """Take in that a thread of a snapshot stood at the event that had stopped it."""
        self._at_event.add(thread)

    def threads_at_events(self) -> list[int]:
        """Return the threads that may invoke methods, in rising order of their ids: those that stand at the event that
        stopped them, not where that is still to be decided."""
        able = sorted(self._at_event - self.own)
        return [each for each in able if self.is_stopped(each) and self.unfit(each) is None]

    @property
    def moment(self) -> Moment | None:
        """Something that is another as soon as any thread has run; None while some may be running."""
        held = self.frozen and all(self._counts.values())
        return (self._vm_epoch, sum(self._own_epoch.values())) if held else None

    @property
    def ran(self) -> tuple[int, int]:
        """Another pair whenever any thread has been resumed, or has run an invoked method."""
        return self._vm_epoch, self._own_epoch.total()

    def as_data(self) -> Suspended:
        """Return what is suspended, and which frames are good, as plain data."""
        threads = {*self._counts, *self._own_epoch}
        return Suspended(
            self.everything_held,
            self.anything_held,
            self.ran,
            self._vm_epoch,
            tuple((each, self.count(each) > 0, self._since(each), self.epoch_of(each)) for each in sorted(threads)),
        )

    def resumed(self, thread: int) -> int:
        """Return another number whenever the thread (0: the VM as a whole) has been resumed to run on.

        A method that was run in the thread has left its suspend count as it was.
        """
        return self.stop_of(thread) if thread else self._vm_epoch

    def epoch_of(self, thread: int) -> int:
        return self._vm_epoch + self._own_epoch[thread]

    def stop_of(self, thread: int) -> int:
        """Return another number whenever the thread has run on; methods that were run in it, and pops, do not count."""
        return self.epoch_of(thread) - self._stayed[thread]

    def frames_of(self, thread: int) -> int:
        """Return another number whenever the thread's frames are others, or the debugger does not know what they hold:
        it has run on, or frames were popped. An invoked method leaves the frames below it as they are."""
        return self.stop_of(thread) + self._pops[thread]

    def threads(self) -> set[int]:
        """Threads that are or were suspended on their own, virtual ones included."""
        return {*self._counts, *self.event_holds, *self.user_holds, *self._at_event, *self.evaluating}

    # What must be

    def require_suspended(self, thread: int) -> None:
        """Raises StateError unless the thread is held."""
        if thread in self.evaluating:
            raise StateError(
                self.running_method(thread),
                hint=self.methods.get(thread, ("", "wait for its end"))[1],
                code="STILL_RUNNING",
            )
        if not self.is_suspended(thread):
            raise _running()

    def require_stopped(self, thread: int) -> None:
        """Raises StateError unless the thread is suspended, and not only by the debugger itself: then it may run on at
        any moment."""
        self.require_suspended(thread)
        if not self.is_stopped(thread):
            raise _running()

    def running_method(self, thread: int) -> str:
        """Return why a thread that evaluates is of no use meanwhile, in words."""
        what, _ = self.methods.get(thread, ("", ""))
        return "that thread is running a method for an earlier expression" + (f": {what}" if what else "")

    def is_current(self, frame: FrameInfo) -> bool:
        """True if the frame's thread has not run on since it was read. Its id is void where methods were run in it."""
        thread = frame.thread.id
        return self._since(thread) <= frame.epoch <= self.epoch_of(thread)

    def still_at(self, thread: int, frame: FrameInfo | None) -> bool:
        """True if the thread (0: any at all) is suspended, and has not run on since the frame was read."""
        if not thread:
            return self.anything_held
        return self.is_suspended(thread) and (frame is None or self.is_current(frame))

    def stands_since(self, thread: int, epoch: int) -> bool:
        """True if the thread is suspended and has not run on since that epoch."""
        return self.is_suspended(thread) and self._since(thread) <= epoch <= self.epoch_of(thread)

    def _since(self, thread: int) -> int:
        """Return the epoch since which the thread has its frames."""
        frames, epoch = self._first_epoch.get(thread, (None, 0))
        return epoch if frames == self.frames_of(thread) else self.epoch_of(thread)

    def require_current(self, frame: FrameInfo) -> None:
        """Raises StateError when the frame's thread has run since the frame was read."""
        self.require_suspended(frame.thread.id)
        if not self.is_current(frame):
            raise StateError(
                "that frame belongs to an earlier stop: its thread has run since",
                hint="ask for the stack again ('where')",
            )

    # What happens

    def event(self, thread: int, *, everything: bool, at_event: bool = True) -> None:
        """An event stopped the thread (0: none), or everything. ``at_event`` is false for VMStart."""
        if everything:
            self.vm_holds += 1
            self._change_all(+1)
        elif thread:
            self.event_holds[thread] = self.event_holds.get(thread, 0) + 1
            self._change(thread, +1)
        if thread and at_event:
            self._at_event.add(thread)
        self._let_run.discard(thread)

    def apply(self, op: SuspendOp, thread: int = 0, *, by_event: bool = False, brief: bool = False) -> None:
        """Enter a command that is being submitted. It changes an event's suspension of a thread (``by_event``), one for
        a moment (``brief``), or the user's. A brief one of the VM is resumed as such only if it was not meanwhile."""
        if op is SuspendOp.VM_SUSPEND:
            self.vm_holds += 1
            self.brief_vm_holds += brief
            self._change_all(+1)
        elif op is SuspendOp.VM_RESUME:
            self.vm_holds = max(0, self.vm_holds - 1)
            self.brief_vm_holds = min(self.brief_vm_holds - brief, self.vm_holds)
            self.user_vm_holds = min(self.user_vm_holds, self.vm_holds - self.brief_vm_holds)
            self._change_all(-1)
        elif op is SuspendOp.THREAD_SUSPEND:
            holds = self.brief_holds if brief else self.event_holds if by_event else self.user_holds
            holds[thread] = holds.get(thread, 0) + 1
            self._change(thread, +1)
        else:
            own = self.user_holds if thread in self.user_holds and not by_event else self.event_holds
            holds = self.brief_holds if brief else own
            holds[thread] = holds.get(thread, 0) - 1
            self._change(thread, -1)
        whole = op is SuspendOp.VM_SUSPEND or op is SuspendOp.VM_RESUME
        self._drop_lost_holds({*self.event_holds, *self.user_holds, *self.brief_holds} if whole else (thread,))

    def overrule(self, threads: Iterable[int] | None) -> None:
        """The user resumes these threads, or everything (None), whatever the verdict on ``undecided`` will be."""
        if self.undecided is not None:
            thread, everything = self.undecided
            self.overruled = self.overruled or threads is None or (not everything and thread in threads)

    def invoked(self, thread: int) -> None:
        """The thread has run an invoked method: its frame ids are void, but it stands where it stood."""
        self._first_epoch[thread] = self.frames_of(thread), self._since(thread)
        self._own_epoch[thread] += 1
        self._stayed[thread] += 1

    def hold_briefly(self, thread: int, holds: int) -> None:
        """Say how much of the thread's count is the debugger's own, for a moment; the rest is that of the VM."""
        self.brief_holds.pop(thread, None)
        if holds:
            self.brief_holds[thread] = holds

    def forbid_methods(self, thread: int, why: Unfit) -> None:
        """No method is to be run in the thread before it has run on."""
        self._unfit[thread] = self.stop_of(thread), why

    def popped(self, thread: int) -> None:
        """Frames of the thread were popped: its frame ids are void; it no longer stands at its event's place."""
        self._unfit.pop(thread, None)
        self._own_epoch[thread] += 1
        self._stayed[thread] += 1
        self._pops[thread] += 1

    def forget(self, thread: int) -> None:
        """The thread has ended."""
        self._counts.pop(thread, None)
        self._at_event.discard(thread)
        self._let_run.discard(thread)
        self.evaluating.discard(thread)
        self.asked.discard(thread)
        self._first_epoch.pop(thread, None)
        self._unfit.pop(thread, None)
        self.methods.pop(thread, None)
        for counted in (self.event_holds, self.user_holds, self.brief_holds, self._own_epoch, self._stayed, self._pops):
            counted.pop(thread, None)

    # What to send

    def plan_keep(self, thread: int, *, everything: bool) -> list[tuple[SuspendOp, int]]:
        """Return the commands, brief ones, after which a thread that stands at an event is suspended by the debugger,
        once more than all others, when that event is resumed; ``hold_briefly`` follows. ``everything``: the event
        has suspended everything."""
        wanted = self._base + (1 if everything else 2)
        return [(SuspendOp.THREAD_SUSPEND, thread)] * max(0, wanted - self.count(thread))

    def plan_join(self, thread: int) -> list[tuple[SuspendOp, int]]:
        """Return the commands, brief ones, after which a thread that the debugger alone suspends is suspended as often
        as most are; ``hold_briefly`` follows, with 0."""
        by = self._base + self.user_holds.get(thread, 0) - self.count(thread)
        return [(SuspendOp.THREAD_SUSPEND if by > 0 else SuspendOp.THREAD_RESUME, thread)] * abs(by)

    def plan_release(self, keep: frozenset[int] = frozenset()) -> list[tuple[SuspendOp, int]]:
        """Return the commands that release all but the user's own holds and brief ones (``cont``); ``keep`` stays held.

        A kept or user-held thread that these would resume gets suspends before them.
        """
        plan: list[tuple[SuspendOp, int]] = []
        vm_holds = self.vm_holds - self.brief_vm_holds
        keep |= self.asked
        if self.undecided is not None:
            thread, everything = self.undecided
            vm_holds -= everything
            keep = keep if everything else keep | {thread}
        kept = {thread for thread in (*self.user_holds, *self.brief_holds, *keep) if self.count(thread)}
        for thread in sorted(kept):
            resumes = vm_holds + (0 if thread in keep else self.event_holds.get(thread, 0))
            left = 1 + (self.user_holds.get(thread, 0) if thread in keep else 0)  # of its event, beside the user's
            plan += [(SuspendOp.THREAD_SUSPEND, thread)] * max(0, resumes + left - self.count(thread))
        plan += [(SuspendOp.VM_RESUME, 0)] * vm_holds
        for thread, holds in sorted(self.event_holds.items()):
            if thread not in keep:  # one resume too many would take from the next event of the thread
                left = self.count(thread) - vm_holds
                more = holds if thread in kept else min(holds, left - self._brief(thread, left))
                plan += [(SuspendOp.THREAD_RESUME, thread)] * more
        return plan

    def plan_run_thread(self, thread: int) -> list[tuple[SuspendOp, int]]:
        """Return the commands that let one thread run, whatever holds it, and leave the others as they are."""
        return [(SuspendOp.THREAD_RESUME, thread)] * self.count(thread)

    def plan_unsuspend_thread(self, thread: int) -> list[tuple[SuspendOp, int]]:
        """Return the commands that take from one thread all but what the debugger itself holds: for a moment, or for an
        event that is still to be decided."""
        return [(SuspendOp.THREAD_RESUME, thread)] * (self.count(thread) - self._not_stopped(thread))

    def plan_unsuspend_everything(self) -> list[tuple[SuspendOp, int]]:
        """Return the commands that take from all threads all but what the debugger itself holds (``resume``).

        A thread that these would take that from gets suspends before them.
        """
        resumes = max(0, self._base - self._not_stopped_base)
        before, after = list[tuple[SuspendOp, int]](), list[tuple[SuspendOp, int]]()
        for thread in sorted({*self._counts, *self.event_holds, *self.user_holds, *self.brief_holds}):
            count = self.count(thread)
            kept = min(count, self._not_stopped(thread))
            if kept:
                before += [(SuspendOp.THREAD_SUSPEND, thread)] * (resumes + kept - count)
            after += [(SuspendOp.THREAD_RESUME, thread)] * (count - resumes - kept)
        return [*before, *[(SuspendOp.VM_RESUME, 0)] * resumes, *after]

    def plan_run_everything(self) -> list[tuple[SuspendOp, int]]:
        """Return the commands that leave nothing held at all.

        Everything is resumed as often as it was suspended: once more would take from an event that is just coming in.
        """
        plan = [(SuspendOp.VM_RESUME, 0)] * self._base
        for thread, count in sorted(self._counts.items()):
            plan += [(SuspendOp.THREAD_RESUME, thread)] * max(0, count - self._base)
        return plan

    # How it is counted

    @property
    def _not_stopped_base(self) -> int:
        """Return how much of the count of the VM is for a moment, or that of an event which is still to be decided."""
        return self.brief_vm_holds + (self.undecided is not None and self.undecided[1])

    def _not_stopped(self, thread: int) -> int:
        """Return how much of the thread's count is for a moment, or that of an event which is still to be decided."""
        count = self._brief(thread, self.count(thread)) + (thread in self.asked)
        if self.undecided is None:
            return count
        at_event, everything = self.undecided
        return count + (everything or at_event == thread)

    def _brief(self, thread: int, count: int) -> int:
        """Return how much of such a count of the thread is for a moment: what its events and the user have not added,
        at most the brief holds."""
        return max(0, min(count - self._own(thread), self.brief_vm_holds + self.brief_holds.get(thread, 0)))

    def _own_threads(self) -> Iterable[int]:
        """Return the threads whose count is another than that of the VM, or has a reason of its own."""
        return dict.fromkeys((*self._counts, *self.event_holds, *self.user_holds))

    def _own(self, thread: int) -> int:
        """Return how much of the thread's count its events and the user have added."""
        return self.event_holds.get(thread, 0) + self.user_holds.get(thread, 0)

    def _drop_lost_holds(self, threads: Iterable[int]) -> None:
        """Forget the reasons that a count no longer covers: a resume of the VM takes from every one."""
        for thread in threads:
            count = self.count(thread)
            for holds in (self.user_holds, self.event_holds, self.brief_holds):
                held = min(holds.pop(thread, 0), count)
                if held > 0:
                    holds[thread] = held
                    count -= held

    def _change(self, thread: int, by: int) -> None:
        before = self.count(thread)
        after = max(0, before + by)
        self._counts[thread] = after
        if after == self._base:
            del self._counts[thread]
        if before and not after:
            self._ran(thread)
            if self._base:
                self._let_run.add(thread)

    def _change_all(self, by: int) -> None:
        base_before, self._base = self._base, max(0, self._base + by)
        base_ran = base_before > 0 and self._base == 0
        self._vm_epoch += base_ran
        if base_ran:
            self._let_run.clear()
            self._at_event = {thread for thread in self._at_event if thread in self._counts}
        for thread, before in list(self._counts.items()):
            after = max(0, before + by)
            ran = before > 0 and after == 0
            self._own_epoch[thread] += ran - base_ran
            if ran:
                self._at_event.discard(thread)
                self.asked.discard(thread)
            if after == self._base:
                del self._counts[thread]
            else:
                self._counts[thread] = after

    def _ran(self, thread: int) -> None:
        self._own_epoch[thread] += 1
        self._at_event.discard(thread)
        self.asked.discard(thread)


def _running() -> StateError:
    return StateError("the thread is running", hint="'pause' stops the target, 'suspend THREAD' one thread")
