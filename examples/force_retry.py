"""Forces the path that no test takes: throws in a method, as often as is asked for.

force_retry.py HOST:PORT Class.method 'new java.io.IOException("forced")' [TIMES]
"""

import sys

import jdbpy.sync as jdbpy

address, method, exception = sys.argv[1:4]
times = int(sys.argv[4]) if len(sys.argv) > 4 else 1

with jdbpy.attach(address, hold="thread") as vm:
    with vm.stop_at(method) as breakpoint:
        for stop in breakpoint.stops(count=times):
            stop.thread.throw(exception)
            print(f"{stop.thread}: {stop.place} throws {exception}")
