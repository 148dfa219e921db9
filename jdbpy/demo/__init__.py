"""The demo: a bundled Java program worth debugging, and a guided tour through it.

Owns the program (source in ``java/``, its class files beside it) and the tour, which is data: what is said, which
command is run, what must then be on the screen. The front end runs the tour; nothing in here prints or debugs.
"""
