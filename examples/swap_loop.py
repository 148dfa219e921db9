"""Swaps into a running JVM what the build writes, each time, until that JVM ends.  swap_loop.py HOST:PORT DIRECTORY"""

import sys
from pathlib import Path

import jdbpy.sync as jdbpy

address, directory = sys.argv[1:]
seen: dict[Path, int] = {}

with jdbpy.attach(address) as vm:
    while True:
        now = {path: path.stat().st_mtime_ns for path in Path(directory).rglob("*.class") if path.exists()}
        try:
            if now != seen:  # also the first time: the build may be newer than what runs
                seen = now
                result = vm.swap(directory)
                for each in result.classes:
                    print(f"replaced {each.name}: {', '.join(each.changes) or 'the same'}", flush=True)
        except jdbpy.JdbpyError as error:  # the JVM refuses a change, or the compiler is still writing
            print(error, flush=True)
        try:
            vm.wait_ended(timeout=0.5)
            break
        except jdbpy.TimedOut:
            pass
