"""Arrays of primitives as bytes, the high byte of each element first: read and written in the editor's memory view.

Addresses count from the first element.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

from jdbpy import UsageError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.handles import Container, Handles
from jdbpy.dap.protocol import Body, request
from jdbpy.dap.readings import ARRAY, FrameReadings
from jdbpy.dap.variables import GIVEN, WIDTHS, VariableRequests
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import ValueInfo

MOST_BYTES = 1 << 20
"""The most bytes of one answer to ``readMemory``, and of one ``writeMemory``."""


class ReadMemory(Record):
    """Arguments of ``readMemory``."""

    memoryReference: str
    count: int
    offset: int = 0


class WriteMemory(Record):
    """Arguments of ``writeMemory``."""

    memoryReference: str
    data: str
    offset: int = 0
    allowPartial: bool = False


class MemoryRequests:
    """Bytes of arrays."""

    def __init__(self, debuggee: Debuggee, handles: Handles, readings: FrameReadings, values: VariableRequests) -> None:
        self._debuggee = debuggee
        self._handles = handles
        self._readings = readings
        self._values = values

    @request("readMemory", ReadMemory, supportsReadMemoryRequest=True)
    async def read_memory(self, args: ReadMemory) -> Body:
        """Elements of an array of primitives as bytes. wire: 1 trip."""
        if args.count < 0:
            raise UsageError("arguments.count must not be negative", code="WRONG_ARGUMENT")
        number, container, value = self._array(args.memoryReference)
        width, length = WIDTHS[value.type], value.length or 0
        self._readings.has_memory(number, width * length)
        first = max(0, args.offset)
        end = min(max(first, args.offset + min(args.count, MOST_BYTES)), width * length)
        data = b""
        if first < end:
            start, stop = first // width, -(-end // width)
            found = await self._debuggee.session.values.bytes(
                f"{GIVEN}[{start}..{stop}]", stop - start, frame=container.frame, given={GIVEN: value}
            )
            data = found.data[first - start * width : end - start * width]
        unreadable = max(0, args.count - len(data))
        body: Body = {"address": f"{first:#x}", "data": b64encode(data).decode("ascii")}
        return {**body, "unreadableBytes": unreadable} if unreadable else body

    @request("writeMemory", WriteMemory, in_order=True, supportsWriteMemoryRequest=True)
    async def write_memory(self, args: WriteMemory) -> Body:
        """Overwrite bytes of an array of primitives; as far as it reaches, if the client allows that. wire: 2 trips."""
        try:
            data = b64decode(args.data, validate=True)
        except ValueError:
            raise UsageError("arguments.data is not text in base64", code="WRONG_ARGUMENT") from None
        if len(data) > MOST_BYTES:
            raise UsageError(f"arguments.data has more than {MOST_BYTES:,} bytes", code="WRONG_ARGUMENT")
        _, _, value = self._array(args.memoryReference)
        size = WIDTHS[value.type] * (value.length or 0)
        if args.offset < 0 or (args.offset + len(data) > size and not args.allowPartial):
            raise UsageError(f"the array has {size:,} bytes", code="WRONG_ARGUMENT")
        data = data[: max(0, size - args.offset)]
        assert value.id is not None
        await self._debuggee.session.values.write_bytes(value.id, args.offset, data)
        return self._values.changed({"offset": args.offset, "bytesWritten": len(data)})

    def _array(self, reference: str) -> tuple[int, Container, ValueInfo]:
        """Return the array of a memory reference. Raises UsageError, and StateError when its thread has run on."""
        prefix, colon, number = reference.partition(":")
        if f"{prefix}{colon}" != ARRAY or not (number.isascii() and number.isdigit() and len(number) < 16):
            raise UsageError("a memory reference is of no array of primitives", code="WRONG_ARGUMENT")
        container = self._handles.container(int(number))
        if container.value is None or container.value.type not in WIDTHS:
            raise UsageError("a memory reference is of no array of primitives", code="WRONG_ARGUMENT")
        return int(number), container, container.value
