"""Which thread holds this lock, where has it entered it, since when?  who_holds_lock.py HOST:PORT Class.FIELD [SECONDS]

The JVM does not keep when a lock was taken: the time counts from the first look that found the same owner.
"""

import sys
from time import monotonic, sleep

import jdbpy.sync as jdbpy

address, field = sys.argv[1:3]
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 5.0

with jdbpy.attach(address) as vm:
    lock = vm.static(field)
    first = since = monotonic()
    state = lock.lock()
    while monotonic() < first + seconds:
        sleep(0.1)
        before, state = state, lock.lock()
        if before.owner is None or state.owner is None or before.owner.id != state.owner.id:
            since = monotonic()
    if state.owner is None:
        sys.exit(f"{field} is free")
    held = vm.find_thread(f"#{state.owner.id}").locks.held
    places = [str(jdbpy.Place(each.frame.location)) for each in held if each.lock.id == lock.id and each.frame]
    print(f"{state.owner.name} has held {field} for at least {monotonic() - since:.1f} s, entered in {places}")
    print("waiting for it:", [each.name for each in state.entering])
