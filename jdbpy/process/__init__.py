"""This process as all front ends need it: standard output, signals, processor time, scripts.

* ``standard``: how text gets out, and how the debugger ends when it does not
* ``statuses``: the exit statuses
* ``signals``: what Ctrl-C means, and the one place where signals arrive
* ``processor_time``: a computation without an end is ended by Ctrl-C, a signal or a timeout
* ``doorway``: who is let in at a port, and what strangers can take there
* ``openings``: attach, launch and listen: their options once, for command lines, editors and JDI's connectors
* ``session_task``: a session that a client opens with one message and leaves with another
* ``scripts``: the command lines of a batch, out of arguments, files and standard input
"""
