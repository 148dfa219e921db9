"""Who calls this method with null, and from where?  who_passes_null.py HOST:PORT Class.method ARGUMENT [SECONDS]"""

import sys
from collections import Counter

import jdbpy.sync as jdbpy

address, method, argument = sys.argv[1:4]
seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 10.0

callers = Counter[str]()
with jdbpy.attach(address) as vm:
    with vm.entries(method, when=f"{argument} == null", stack=2) as hits:
        for hit in hits.take(seconds=seconds):
            callers[str(hit.caller)] += 1

for caller, count in callers.most_common():
    print(f"{count:6} times  {caller}")
