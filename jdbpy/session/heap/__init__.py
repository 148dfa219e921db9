"""The target's heap: instances, counts, referrers, and what the target's own beans tell of its memory.

* ``heap``: the component ``session.heap``
* ``paths``: the shortest chain of references to an object from a root
* ``usage``: memory pools and collectors
"""
