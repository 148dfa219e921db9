"""What is known of a VM's code: types, members, lines, read once and kept.

* ``reading``: readings side by side: coroutines whose questions of one moment leave in one wave
* ``refs``: reference types and members as records; ``facts``: what never changes about them, asked for once
* ``types``: the cache of types: ancestors, members, lines; ``lines``: places in code as people read them
* ``loaders``: class loaders in words, and what they see
* ``latency``: how long a trip takes, and whether that is long
* ``changed_code``: the classes into which this session has put code
* ``code_guard``: what is set by places in code waits while code is replaced, and the other way round
"""
