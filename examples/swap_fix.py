"""Replaces code of a running JVM: classes of a directory or jar, one class file, or a source file.

swap_fix.py HOST:PORT PATH
"""

import sys

import jdbpy.sync as jdbpy

address, path = sys.argv[1:]

with jdbpy.attach(address) as vm:
    result = vm.swap(path)
    for each in result.classes:
        print(f"replaced {each.name}: {', '.join(each.changes) or 'the same'}")
    for frame in result.obsolete:
        print(f"still runs the old code: {frame.location.class_name}.{frame.location.method} in {frame.thread.name}")
    print(f"{len(result.classes)} replaced, {len(result.unchanged)} unchanged, {len(result.not_loaded)} not loaded")
