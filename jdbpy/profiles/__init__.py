"""Profiles: where a program spends its time and memory and throws its exceptions, from flight recorder events or stack
samples.

* ``kinds``: the kinds of profiles: the flight recorder events that each is made from, and their settings
* ``profile``: a profile: its stacks, its threads, how it changes over time
* ``recorded``: reads profiles from a recording
* ``files``: writes profiles to files: pictures, and the formats of other tools
"""
