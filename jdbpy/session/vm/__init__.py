"""The target VM as a whole.

* ``vm``: the component ``session.vm``: properties, paths, capabilities
* ``facts``: what the VM is, its clocks
* ``hotspot``: HotSpot's flags, and its diagnostic commands, those of ``jcmd``
"""
