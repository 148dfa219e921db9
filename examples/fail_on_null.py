"""Fails a CI job when a method returns null while the tests run.  fail_on_null.py HOST:PORT Class.method

Ends with the JVM, or after the first null.
"""

import sys

import jdbpy.sync as jdbpy

address, method = sys.argv[1:]

with jdbpy.attach(address) as vm:
    with vm.returns(method, when="$ret == null", stack=4) as hits:
        for hit in hits.take(count=1):
            print(f"{method} has returned null:", *hit.stack, sep="\n    at ")
            sys.exit(1)
print(f"{method} has never returned null")
