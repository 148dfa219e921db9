"""How do two JVMs differ, in classes and instances?  compare_jvms.py HOST:PORT HOST:PORT [PATTERN]"""

import sys

import trio

import jdbpy


async def main(first: str, second: str, pattern: str) -> None:
    async with jdbpy.fleet({"first": first, "second": second}) as fleet:
        classes = await fleet.gather(lambda vm: vm.classes(pattern))
        here, there = set(classes["first"]), set(classes["second"])
        print("only in the first: ", *sorted(here - there) or ["nothing"])
        print("only in the second:", *sorted(there - here) or ["nothing"])
        counts = await fleet.gather(lambda vm: vm.heap.histogram(pattern))
        difference = counts["second"] - counts["first"]
        print(difference.top(10) if len(difference) else "the same instances of each class")


trio.run(main, sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
