"""Where does the time go, in this package?  time_by_method.py HOST:PORT 'com.acme.*' [SECONDS]"""

import sys

import jdbpy.sync as jdbpy

address, pattern = sys.argv[1:3]
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 5.0

with jdbpy.attach(address) as vm:
    with vm.sample(pattern, seconds=seconds) as spent:
        print(spent.table())
        found = spent.result()
        print(f"{found.looks} looks in {found.seconds:.1f} s, the longest took {found.held_up * 1000:.1f} ms")
