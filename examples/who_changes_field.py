"""Who changes this field, from what to what?  who_changes_field.py HOST:PORT Class.field [SECONDS]"""

import sys

import trio

import jdbpy


async def main(address: str, field: str, seconds: float) -> None:
    async with jdbpy.attach(address) as vm:
        async with vm.changes(field, stack=2) as hits:
            async for hit in hits.take(seconds=seconds):
                print(f"[{hit.thread}] {hit.old} -> {hit.new} at {hit.stack[0]}\n    called from {hit.caller}")


trio.run(main, sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 10.0)
