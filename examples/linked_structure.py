"""A linked structure of the target as Python objects.  linked_structure.py HOST:PORT Class.FIELD LINK

Prints each node with its plain fields; a thousand nodes are a few round trips.
"""

import json
import sys

import jdbpy.sync as jdbpy

address, field, link = sys.argv[1:]

with jdbpy.attach(address) as vm:
    first = vm.static(field)
    names = [name for name in first.fields if name != link]
    for node in first.follow(link):
        print(json.dumps({name: node[name].python(depth=2) for name in names}, default=str))
