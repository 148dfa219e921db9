"""Recordings for tests: of a real JVM, with every event on, made once; and changed ones."""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
from pathlib import Path

from tests.harness import Jvm, program
from tests.harness.kept import BUILD, make_once


def recording(jvm: Jvm) -> Path:
    """A recording of ``fixtures/Recorded.java`` with every event that the JVM's settings name."""
    prog = program("Recorded").on(jvm)
    settings = Path(jvm.home, "lib", "jfr", "profile.jfc").read_text(encoding="utf-8")
    settings = re.sub(r'(<setting name="enabled")[^>]*>[^<]*<', r"\1>true<", settings)
    settings = re.sub(r'(<setting name="threshold")[^>]*>[^<]*<', r"\1>0 ns<", settings)
    name = hashlib.sha256(f"{jvm.java} {jvm.version} {prog.classes} {settings}".encode()).hexdigest()[:16]

    def make(made: Path) -> None:
        made.mkdir()
        chosen = made / "all.jfc"
        chosen.write_text(settings, encoding="utf-8")
        option = f"-XX:StartFlightRecording:settings={chosen},filename={made / 'all.jfr'}"
        command = [jvm.java, "-Xmx128m", option, "-cp", str(prog.classes), prog.main]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    kept = BUILD / "jfr" / name
    make_once(kept, make)
    return kept / "all.jfr"


def changed(good: bytes, seed: int) -> bytes:
    """The bytes with some changes: bytes, runs of them, numbers of the header, pieces cut out or put in twice."""
    choice = random.Random(seed)
    data = bytearray(good)
    for _ in range(choice.choice((1, 1, 2, 5, 30, 200))):
        at = choice.randrange(len(data))
        what = choice.randrange(8)
        if what == 0:
            data[at] ^= 1 << choice.randrange(8)
        elif what == 1:
            data[at] = choice.choice((0, 1, 2, 3, 4, 5, 127, 128, 255))
        elif what == 2:
            data[at : at + 9] = b"\xff" * choice.choice((4, 8, 9))
        elif what == 3:
            at = choice.randrange(8, 68)
            data[at] = choice.randrange(256)
        elif what == 4:
            del data[at : at + choice.choice((1, 2, 8, 100, 5000))]
        elif what == 5:
            data[at:at] = data[at : at + choice.choice((1, 8, 100, 5000))]
        elif what == 6:
            metadata = int.from_bytes(data[24:32], "big")
            if metadata + 40 < len(data):
                data[choice.randrange(metadata, len(data))] = choice.randrange(256)
        else:
            del data[at:]
        if len(data) < 100:
            break
    return bytes(data)
