"""Packets of other sessions, out of captures and recordings, taken apart. No target is needed, and none is asked.

* ``cutting``: one direction of a connection, cut into packets
* ``conversation``: the two directions of a connection as packets, replies with what they answer
* ``reading``: the files
"""
