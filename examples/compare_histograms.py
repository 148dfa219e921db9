"""What has grown on the heap between two moments?  compare_histograms.py HOST:PORT [SECONDS] [PATTERN]"""

import sys
import time

import jdbpy.sync as jdbpy

address = sys.argv[1]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
pattern = sys.argv[3] if len(sys.argv) > 3 else ""

with jdbpy.attach(address) as vm:
    before = vm.heap.histogram(pattern)
    time.sleep(seconds)
    change = vm.heap.histogram(pattern) - before
    print(change.top(10))
    print(f"{change.total:+,} instances in all")
