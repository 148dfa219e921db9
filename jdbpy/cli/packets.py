"""``jdbpy packets``: captures and recordings as JDWP, packet by packet, outside of any session."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from jdbpy import JdbpyError, UsageError, packets, read_packets
from jdbpy.cli.console import Console
from jdbpy.cli.output.choice import choose_renderer
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.output.pieces import (
    Line,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    count,
    faint,
    joined,
    name,
    number,
    piece,
    title,
)
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.process import standard
from jdbpy.record import Record

HELP = """\
usage: jdbpy packets FILE|- [options]

Shows packets of the Java Debug Wire Protocol, each field with its place, its type and its value: of a capture
(pcap or pcapng, as tcpdump and Wireshark write them), or of a file that --record has written. Streams of TCP are put
together, replies are shown with what they answer. What does not fit the protocol is shown at its byte, with what was
expected there. '-' is a capture on standard input, which may be going on:

  tcpdump -i lo -U -w - port 5005 | jdbpy packets -

options:
  --raw                  the bytes beside the fields, in hexadecimal, the header's too
  --all                  all fields of each packet; otherwise the first 64
  --json                 one JSON object per line for every packet; the last one tells what there was
  --port N               what goes to or from this port is JDWP, also where the capture began later than the connection
  --id-sizes N[,N...]    bytes of an id, or of those of fields, methods, objects, types and frames, where no packet
                         tells: 8 by default
  --color WHEN           colors: auto (in a terminal only, the default), always or never
  -h, --help             this text

exit status: 0 all packets fit; 1 a packet does not, the file is damaged or has no JDWP; 2 usage
"""

FAILED, USAGE = 1, 2
FIELDS = 64
"""Fields of a packet that are shown."""
_WIDTH = 16
_MOST_REST = 256


class PacketsLine(Record):
    """The command line. ``file`` is "" for the help."""

    file: str = ""
    raw: bool = False
    all: bool = False
    json: bool = False
    port: int | None = None
    id_sizes: tuple[int, ...] | None = None
    color: str = "auto"


def parse_packets(words: Sequence[str]) -> PacketsLine:
    """Understand the words after ``jdbpy packets``. Raises UsageError."""
    switches = {"--raw": "raw", "--all": "all", "--json": "json"}
    found: dict[str, object] = {}
    files: list[str] = []
    rest = list(words)
    while rest:
        word, equals, value = rest.pop(0).partition("=")
        if word in ("-h", "--help"):
            return PacketsLine()
        if word in switches and not equals:
            found[switches[word]] = True
        elif word in ("--port", "--id-sizes", "--color"):
            if not equals and not rest:
                raise UsageError(f"{word} needs a value")
            value = value if equals else rest.pop(0)
            found[word[2:].replace("-", "_")] = _value(word, value)
        elif word.startswith("-") and word != "-":
            raise UsageError(f"no such option: {word}{equals}{value}")
        else:
            files.append(word + equals + value)
    if len(files) != 1 or not files[0]:
        raise UsageError("packets needs one file, a capture or one that --record has written; - is standard input")
    return PacketsLine(files[0], **found)  # type: ignore[arg-type]


def _value(option: str, text: str) -> object:
    if option == "--color":
        if text not in ("auto", "always", "never"):
            raise UsageError(f"--color is auto, always or never, not '{text}'")
        return text
    numbers = text.split(",")
    if not all(each.isascii() and each.isdigit() and len(each) < 6 for each in numbers):
        wanted = "the number of a port" if option == "--port" else "numbers of bytes"
        raise UsageError(f"{option} needs {wanted}, not '{text}'")
    if option == "--id-sizes":
        return tuple(map(int, numbers))
    if len(numbers) != 1 or not 0 < int(text) < 65536:
        raise UsageError(f"--port needs the number of a port, 1 to 65535, not '{text}'")
    return int(text)


def main(words: Sequence[str]) -> int:
    """Runs ``jdbpy packets`` with the words after it; returns the exit status."""
    try:
        line = parse_packets(words)
    except UsageError as error:
        hint = error.hint or "jdbpy packets --help says what there is"
        standard.write(f"jdbpy: {error.message}\n  {hint}\n", sys.stderr)
        return USAGE
    if not line.file:
        standard.write(HELP)
        return 0
    console = _console(line)
    try:
        return _show(line, console)
    except JdbpyError as error:
        console.failure("packets", error)
        return FAILED


def _show(line: PacketsLine, console: Console) -> int:
    json = JsonRenderer()
    began: float | None = None
    status = 0
    fields = None if line.all else FIELDS
    for item in read_packets(line.file, port=line.port, id_sizes=line.id_sizes, fields=fields, raw=line.raw):
        if isinstance(item, packets.CaptureSummary):
            console.outcome(Outcome("packets", None, item))
            continue
        status = FAILED if isinstance(item, packets.CapturedPacket) and item.misfit is not None else status
        if line.json:
            console.write(json.event(item))
            continue
        if began is None and item.time is not None:
            began = item.time
            if began > 1e8:  # not since the beginning of a recording
                console.write(f"times are seconds since {_date(began)}\n")
        if item.time is not None:
            item = item.replace(time=item.time - (began or 0.0))
        console.outcome(Outcome("packets", None, item))
    return status


def _console(line: PacketsLine) -> Console:
    if line.json:
        return Console(JsonRenderer(), json=True)
    settings = Settings()
    settings.set("color", line.color)
    return Console(choose_renderer(settings), json=False)


def _date(time: float) -> str:
    try:
        return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{time:g}"  # what a file says need not be a time


@shows(packets.CapturedPacket)
def packet_shown(result: packets.CapturedPacket, settings: Settings) -> Shown:
    yield joined("  ", _heading(result))
    for rows in _raw_rows(result) if result.data else _rows(result):
        if rows:
            yield RowPieces(rows, indent="    ")
    if result.misfit is not None:
        at, where = result.misfit, f" {result.misfit.name}" if result.misfit.name else ""
        text = f"{_at(at.offset)}{where}: expected {at.expected}, found {at.found}"
        yield Sentence(piece(f"    does not fit at {text}", "error"), "      ")


def _heading(packet: packets.CapturedPacket) -> Iterator[Line]:
    yield number(packet.number)
    yield _seconds(packet.time)
    yield packet.sender
    what = name(packet.command or "unknown command")
    if packet.kind == "reply":
        yield "reply " + (f"to {packet.answers} " + what if packet.answers else f"to id {packet.id}")
        if packet.since is not None:
            yield f"after {packet.since:.3f} ms"
        if packet.error:
            yield piece(f"{packet.error_name} ({packet.error})", "error")
    else:
        yield what
    place = f"id {packet.id}, {packet.length:,} bytes at {packet.offset:,}"
    yield faint(f"({packet.connection}) {place}" if packet.connection else place)
    if packet.note:
        yield f"[{packet.note}]"


_Rows = list[tuple[Line, ...]]


def _rows(packet: packets.CapturedPacket) -> Iterator[_Rows]:
    yield [_row(field) for field in packet.fields]
    yield _left_out(packet)
    yield [_row(field) for field in packet.last]


def _left_out(packet: packets.CapturedPacket) -> _Rows:
    if not packet.left_out:
        return []
    return [(f"... {count(packet.left_out, 'field')} more: --all shows all",)]


def _row(field: packets.PacketField) -> tuple[Line, ...]:
    return faint(_at(field.offset)), field.name, faint(field.kind), field.value


def _raw_rows(packet: packets.CapturedPacket) -> Iterator[_Rows]:
    """Yield rows with the bytes: of the header, of the fields, and of what is behind the last one."""
    data = packet.data
    head = [("length", 0, 4), ("id", 4, 4), ("flags", 8, 1)]
    head += [("error", 9, 2)] if packet.kind == "reply" else [("command set", 9, 1), ("command", 10, 1)]
    rows: _Rows = []
    for field, offset, size in head:
        value = int.from_bytes(data[offset : offset + size], "big")
        rows += _hex_rows(data, offset, size, field, "", f"{value:#04x}" if field == "flags" else str(value))
    end = 11
    for each in packet.fields:
        rows += _hex_rows(data, each.offset, each.size, each.name, each.kind, each.value)
        end = each.offset + each.size
    if packet.left_out:
        yield rows
        yield _left_out(packet)
        rows = []
        end = packet.last[0].offset if packet.last else len(data)
    for each in packet.last:
        rows += _hex_rows(data, each.offset, each.size, each.name, each.kind, each.value)
        end = each.offset + each.size
    rest = min(len(data) - end, _MOST_REST)
    if rest > 0:
        rows += _hex_rows(data, end, rest, "", "", "")
    yield rows


def _hex_rows(data: bytes, offset: int, size: int, *about: str) -> Iterator[tuple[Line, ...]]:
    for at in range(offset, offset + max(size, 1), _WIDTH):
        shown = data[at : min(at + _WIDTH, offset + size)].hex(" ")
        field, kind, value = about if at == offset else ("", "", "")
        yield faint(_at(at)), shown, field, faint(kind), value


def _at(offset: int) -> str:
    return f"0x{offset:02x}"


def _seconds(time: float | None) -> Line:
    return faint(f"{time:.6f}" if time is not None else "?")


@shows(packets.CaptureNote)
def note_shown(result: packets.CaptureNote, settings: Settings) -> Shown:
    if result.kind == "line":
        yield title(f"> {result.text}")
        return
    where = f"connection {result.connection}: " if result.connection else ""
    style = "error" if result.kind in ("lost", "skipped") else "title"
    yield Sentence(joined("  ", (Pieces((("-", "plain"),)), _seconds(result.time), piece(where + result.text, style))))


@shows(packets.CaptureSummary)
def summary_shown(result: packets.CaptureSummary, settings: Settings) -> Shown:
    kinds = f"{count(result.commands, 'command')}, {count(result.replies, 'reply', 'replies')}"
    words = [f"{count(result.packets, 'packet')}: {kinds}, {count(result.events, 'event packet')}"]
    if result.unanswered:
        words.append(f"{count(result.unanswered, 'command')} without a reply")
    if result.cut:
        words.append(f"{count(result.cut, 'packet')} not captured whole")
    if result.lost:
        words.append(f"{result.lost:,} bytes not captured")
    if result.skipped:
        words.append(f"{result.skipped:,} bytes that are not packets")
    yield Sentence("; ".join(words))
    if result.misfits:
        yield piece(f"{count(result.misfits, 'packet')} with what does not fit", "error")
    for each in result.others:
        yield Sentence(faint(f"no JDWP: {each}"))
    if result.more_others:
        yield faint(f"no JDWP: {count(result.more_others, 'more connection')}")
    if result.unread:
        yield Sentence(faint(f"frames that were not read: {', '.join(result.unread)}"))
