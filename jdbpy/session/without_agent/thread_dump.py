"""Reads thread dumps, as ``Thread.print -l`` writes them: threads, states, frames, locks. Pure.

The line formats differ between releases; each is a row of a table, with the releases that write it. Lines that match
no row are kept in ``ThreadDump.unknown``. Only threads that a debugger shows too are kept: no compiler or GC threads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from jdbpy.record import Record
from jdbpy.session.java.dump_file import DumpedFrame

MOST_UNKNOWN = 1_000
"""Lines that are kept of those that fit no form."""


class DumpedLock(Record):
    """An object whose monitor a thread holds or waits for; ``depth`` is that of the frame, 0 for the innermost."""

    address: int
    class_name: str
    depth: int


class DumpedThread:
    """A thread of a dump. Times are in seconds, or None if this JVM does not report them."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        """Its id in Java, ``#12``."""
        self.daemon = False
        self.virtual = False
        self.priority = 5
        self.cpu: float | None = None
        self.elapsed: float | None = None
        self.allocated: int | None = None
        self.state = "RUNNABLE"
        """The name of a ``Thread.State``."""
        self.how = ""
        """What is said in brackets behind it: ``sleeping``, ``parking``, ``on object monitor``."""
        self.frames: list[DumpedFrame] = []
        self.locked: list[DumpedLock] = []
        self.entering: DumpedLock | None = None
        """The monitor that it waits to enter."""
        self.waiting: DumpedLock | None = None
        """The object that it waits on, in ``Object.wait``."""
        self.parked: DumpedLock | None = None
        """What it is parked for."""
        self.owned: list[DumpedLock] = []
        """Synchronizers of java.util.concurrent that it owns."""


class ThreadDump:
    """A parsed dump. ``unknown`` are the lines that match no known format."""

    def __init__(self) -> None:
        self.threads: list[DumpedThread] = []
        self.unknown: list[str] = []


_HIDDEN = re.compile(
    r"(C[12] CompilerThread\d*|JVMCI.*CompilerThread\d*|Service Thread|Monitor Deflation Thread|Sweeper thread"
    r"|CodeCache Sweeper|StringDedup(Process|Thread)|Surrogate Locker.*|Method Sampler|JFR .*Sampler.*)"
)
"""Threads of the VM itself that have a number, and that no debugger is shown."""

_HEADER = re.compile(
    r'^"(?P<name>.*)" #(?P<number>\d+)(?P<rest>(?: \[\d+\])?(?: daemon| virtual)* prio=.*)$', re.DOTALL
)
"""The first line of a thread: 8 to 17 without the number in brackets, which 21 writes; 21 marks virtual ones."""
_VM_HEADER = re.compile(r'^".*" (?:os_prio=|prio=\d+ tid=|\[?\w+\]?.*tid=)')
"""The same of a thread that is none of Java's."""
_WHOLE = re.compile(r'(" os_prio=|" prio=|":$| tid=0x)')
"""What shows that the name of a thread has ended on a line."""
_BEGUN = re.compile(r'^"')
_FIELD = re.compile(r" (\w+)=([0-9.]+)(ms|s|[BKMG])?\b")
_STATE = re.compile(r"^   java\.lang\.Thread\.State: (\w+)(?: \((.*)\))?$")
_FRAME = re.compile(r"^\tat (?P<method>[^\s(]+)\((?P<place>[^)]*)\)$")
_LOCK = re.compile(r"^\t- (?P<what>.+?)\s+<(?P<address>0x[0-9a-f]+)> \(an? (?P<class>.*)\)$")
_OWNED = re.compile(r"^\t- <(?P<address>0x[0-9a-f]+)> \(an? (?P<class>.*)\)$")
_CARRIES = re.compile(r"^   Carrying virtual thread #\d+")
"""Since 21, in place of the state: the agent calls such a thread waiting."""
_MOUNTED = re.compile(r"^   Mounted virtual thread #(\d+)")
"""Since 24: the frames that follow are those of the virtual thread. Its name is not told."""
_OWNED_FOLLOW = "   Locked ownable synchronizers:"
_END = re.compile(r"^(JNI global ref|Found (one|a total of|\d+) |Heap$)")
"""What follows the threads: counts, and deadlocks, which are found anew among the threads."""

_IGNORED = re.compile(
    "|".join((
        r"\s*$",
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$",  # the time
        r"Full thread dump ",
        r"Threads class SMR info:$",  # 11 and later
        r"_java_thread_list=0x",
        r"0x[0-9a-f]+(, 0x[0-9a-f]+)*,?$",
        r"_to_delete_list=|next-> |[({]|\}",
        r"   Locked ownable synchronizers:$",
        r"\t- None$",
        r"\t- (eliminated|parking|locked) <owner is scalar replaced>",
        r"\t- <no object reference available>|\t- waiting on <no object reference available>",
        r"   (No compile task|Compiling: )",
        r"   JavaThread state: ",
        r"Thread: 0x",
        r"os_prio=\d+ (cpu=|tid=0x)",  # 11 and 17 do not write the name of the flight recorder's sampler
    ))
)  # fmt: skip
"""Lines that tell nothing of a Java thread."""


def parse_dump(text: str) -> ThreadDump:
    """Parse a dump, which may be truncated anywhere."""
    dump = ThreadDump()
    thread: DumpedThread | None = None
    carrier: DumpedThread | None = None
    skipping = False
    for line in _lines(text):
        if _END.match(line):
            break
        if _BEGUN.match(line):
            thread, carrier = _thread(line), None
            skipping = thread is None or bool(_HIDDEN.fullmatch(thread.name))
            if thread is not None and not skipping:
                dump.threads.append(thread)
            elif thread is None and not _VM_HEADER.match(line):
                _keep(dump, line)
        elif skipping:
            continue
        elif thread is not None and (mounted := _MOUNTED.match(line)) is not None:
            carrier, thread = carrier or thread, DumpedThread("", int(mounted[1]))
            thread.virtual = thread.daemon = True
            dump.threads.append(thread)
        elif carrier is not None and line.startswith(_OWNED_FOLLOW):
            thread, carrier = carrier, None
        elif not (thread is not None and _take(thread, line)) and not _IGNORED.match(line):
            _keep(dump, line)
    return dump


def _keep(dump: ThreadDump, line: str) -> None:
    if len(dump.unknown) < MOST_UNKNOWN:
        dump.unknown.append(line[:400])


def _lines(text: str) -> Iterator[str]:
    """Return the lines of a dump. A thread name may contain line breaks; its header is returned as one line."""
    begun = ""
    for line in text.split("\n"):
        if begun:
            begun += "\n" + line
            if _HEADER.match(begun) or begun.count("\n") > 20:
                yield begun
                begun = ""
        elif (
            line.startswith('"')
            and not _HEADER.match(line)
            and not re.search(r'(" os_prio=|" prio=|":$| tid=0x)', line)
        ):
            begun = line
        else:
            yield line
    if begun:
        yield begun


def _thread(line: str) -> DumpedThread | None:
    found = _HEADER.match(line)
    if found is None:
        return None
    thread = DumpedThread(found["name"], int(found["number"]))
    before, _, rest = found["rest"].partition("prio=")
    thread.daemon, thread.virtual = " daemon" in before, " virtual" in before
    for name, number, unit in _FIELD.findall(f" prio={rest}"):
        if name == "prio":
            thread.priority = int(float(number))
        elif name == "cpu":  # since 11
            thread.cpu = float(number) / (1000 if unit == "ms" else 1)
        elif name == "elapsed":
            thread.elapsed = float(number) / (1000 if unit == "ms" else 1)
        elif name == "allocated":  # with -e
            thread.allocated = int(float(number) * {"K": 1024, "M": 1 << 20, "G": 1 << 30}.get(unit, 1))
    return thread


def _take(thread: DumpedThread, line: str) -> bool:
    """Add a line to a thread; return False if it matches no known format."""
    for form, take in _FORMS:
        found = form.match(line)
        if found is not None:
            return take(thread, found)
    return False


def _take_state(thread: DumpedThread, found: re.Match[str]) -> bool:
    thread.state, thread.how = found[1], found[2] or ""
    return True


def _take_carried(thread: DumpedThread, found: re.Match[str]) -> bool:
    thread.state = "WAITING"
    return True


def _take_frame(thread: DumpedThread, found: re.Match[str]) -> bool:
    class_name, _, method = found["method"].rpartition(".")
    # since 9 with the module: "java.base@17.0.15/Thread.java:840"; a loader's name may stand before the class
    place = found["place"].rpartition("/")[2]
    class_name = class_name.rpartition("//")[2]
    file, _, line = place.rpartition(":")
    if not line.isdigit():
        file, line = place, "0"
    native = place == "Native Method"
    known = not native and place not in ("Unknown Source", "Redefined")
    thread.frames.append(DumpedFrame(class_name, method, file if known else "", int(line), native))
    return True


def _take_lock(thread: DumpedThread, found: re.Match[str]) -> bool:
    lock = DumpedLock(int(found["address"], 16), found["class"], max(0, len(thread.frames) - 1))
    what = found["what"]
    if what == "locked":
        thread.locked.append(lock)
    elif what == "waiting to lock":
        thread.entering = lock
    elif what in ("waiting on", "waiting to re-lock in wait()"):
        if what == "waiting on":
            thread.waiting = lock
        elif thread.entering is None and thread.state == "BLOCKED":
            thread.entering = lock
    elif what == "parking to wait for":
        thread.parked = lock
    else:
        return what in ("eliminated",)
    return True


def _take_owned(thread: DumpedThread, found: re.Match[str]) -> bool:
    thread.owned.append(DumpedLock(int(found["address"], 16), found["class"], -1))
    return True


_FORMS: tuple[tuple[re.Pattern[str], Callable[[DumpedThread, re.Match[str]], bool]], ...] = (
    (_FRAME, _take_frame),
    (_LOCK, _take_lock),
    (_OWNED, _take_owned),
    (_STATE, _take_state),
    (_CARRIES, _take_carried),
)
"""The lines of a thread."""
