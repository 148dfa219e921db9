"""Plain data about what an operator asks of a target: its load, the levels of its loggers, its MBeans."""

from __future__ import annotations

from typing import Annotated, Any

from jdbpy.json_form import Json
from jdbpy.record import Record
from jdbpy.session.model.heap import MemoryArea


class ThreadLoad(Record):
    """A thread and what it has used in an interval. ``frames`` are its top frames at the end of it."""

    id: Annotated[int, "Java's own id of the thread (Thread.getId), not jdbpy's"]
    name: str
    state: Annotated[str, "runnable, blocked, waiting, timed-waiting or new; empty for one that has ended"]
    share: Annotated[float, "of one processor: 1.0 is one processor all the time"]
    cpu: Annotated[float, "seconds of processor time in the interval"]
    allocated: Annotated[int | None, "bytes in the interval; null where the JVM does not count them"]
    total: Annotated[float, "seconds of processor time since it began"]
    frames: Annotated[tuple[str, ...], "top frames: com.acme.Order.total(Order.java:42)"] = ()


class Collections(Record):
    """What a garbage collector has done in an interval."""

    json_name = "collections"

    name: str
    count: int
    milliseconds: int


class TargetLoad(Record):
    """What a target has done in an interval of ``seconds``: its threads, the busiest first, memory and collections.

    ``since_start``: everything stands still, so the figures are those since each thread began.
    """

    json_name = "load"

    seconds: Annotated[float, "how long the interval was, by the target's clock"]
    threads: Annotated[tuple[ThreadLoad, ...], "the busiest first"]
    thread_count: Annotated[int, "all threads that live"]
    share: Annotated[float, "of all threads; 1.0 is one processor all the time"]
    process: Annotated[float | None, "of the whole process, with collectors and compilers"]
    allocated: Annotated[int | None, "bytes, by all threads"]
    memory: Annotated[tuple[MemoryArea, ...], "heap, non-heap and pools at the end of it"]
    collections: tuple[Collections, ...]
    since_start: Annotated[bool, Json("everything stands still: figures since each thread began", optional=True)] = (
        False
    )


class LogLevel(Record):
    """A logger: its own level, None where it has its parent's, and the one that counts."""

    json_name = "logger"

    name: Annotated[str, "root for that of all"]
    level: Annotated[str | None, "its own; null where it has its parent's"]
    effective: Annotated[str, "what counts"]


class LogContext(Record):
    """The loggers of one framework in one class loader: all loggers of one web application."""

    json_name = "log-context"

    number: int
    framework: Annotated[str, "Logback, Log4j 2 or java.util.logging"]
    name: Annotated[str, "of the context, or of Tomcat's web application"]
    loader: Annotated[str, "the class loader that has the framework's classes, or whose loggers they are"]
    count: Annotated[int, "all loggers"]
    loggers: Annotated[tuple[LogLevel, ...], "those that were asked for"]


class LogLevelsSet(Record):
    """The level of a logger was set, in one context or several; ``contexts`` has it as it is now."""

    name: str
    contexts: tuple[LogContext, ...]


class MBeanAttribute(Record):
    """An attribute of an MBean; ``value`` is plain data, as far as it was read, or ``error`` says why it was not."""

    json_name = "mbean-attribute"

    name: str
    type: Annotated[str, "in Java's words"]
    writable: bool
    value: Annotated[
        Any, Json("plain data: CompositeData as an object, TabularData as a list of objects", optional=False)
    ] = None
    error: str = ""
    readable: Annotated[bool, Json("false where it can only be set", optional=False)] = True
    description: str = ""


class MBeanOperation(Record):
    """An operation of an MBean, with the types and names of its parameters."""

    json_name = "mbean-operation"

    name: str
    type: Annotated[str, "what it returns"]
    parameters: Annotated[tuple[str, ...], "types and names: java.lang.String name"]
    description: str = ""


class MBeanDetail(Record):
    """An MBean with its attributes and operations, all or those that were asked for."""

    json_name = "mbean"

    name: str
    class_name: Annotated[str, Json(key="class")]
    attributes: tuple[MBeanAttribute, ...]
    operations: tuple[MBeanOperation, ...] = ()


class OperationResult(Record):
    """What an operation of an MBean has returned."""

    json_name = "mbean-result"

    mbean: str
    operation: str
    type: str
    value: Annotated[Any, Json("plain data; null for void", optional=False)] = None


class FetchedFile(Record):
    """A file of the target's machine that was copied here; ``removed``: it is there no more."""

    source: str
    path: str
    size: int
    removed: Annotated[bool, Json("it is not there any more", optional=False)] = False


class DumpedClass(Record):
    """The class file of a class in a file; ``how``: "loader", as its loader has it and it runs, or "rebuilt"."""

    json_name = "dumped-class"

    name: str
    loader: str
    path: str
    size: int
    how: Annotated[str, "loader, or rebuilt of what the agent tells"]
    note: Annotated[str, "why it was rebuilt"] = ""


class ClassesDumped(Record):
    """The classes that were written; ``failed`` are those of which there is nothing, with the reason."""

    json_name = "classes-dumped"

    directory: str
    classes: tuple[DumpedClass, ...]
    failed: Annotated[tuple[tuple[str, str], ...], "names with the reason"] = ()
