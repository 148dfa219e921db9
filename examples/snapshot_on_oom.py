"""Writes a snapshot where an OutOfMemoryError is thrown, once.  snapshot_on_oom.py HOST:PORT FILE [SECONDS]

`jdbpy open FILE` and `jdbpy.open_snapshot(FILE)` look at it when the JVM is gone.
"""

import sys

import jdbpy.sync as jdbpy

address, file = sys.argv[1:3]
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else None

with jdbpy.attach(address, hold="thread") as vm:
    with vm.on_exception("java.lang.OutOfMemoryError") as errors:
        for stop in errors.stops(seconds=seconds, count=1):
            taken = stop.snapshot(file)
            print(f"{stop.thread}: {stop.exception}\n    at {stop.place}")
            print(f"{file}: {taken.threads} threads, the JVM stood still for {1000 * (taken.paused or 0):.0f} ms")
