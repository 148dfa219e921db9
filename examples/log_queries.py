"""Every SQL text with its caller, while all runs on.  log_queries.py HOST:PORT Class.method ARGUMENT [SECONDS]"""

import sys
from time import localtime, strftime

import jdbpy.sync as jdbpy

address, method, argument = sys.argv[1:4]
seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 5.0

with jdbpy.attach(address) as vm:
    with vm.entries(method, stack=2) as hits:
        for hit in hits.take(seconds=seconds):
            at = strftime("%H:%M:%S", localtime(hit.time))
            print(f"{at} [{hit.thread}] {hit.args[argument].string}\n         from {hit.caller}")
    if hits.dropped:
        print(f"{hits.dropped} more came too fast", file=sys.stderr)
