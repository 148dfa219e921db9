"""One session, many clients: ``jdbpy serve``, ``join`` and ``sessions``, and the command ``serve`` of the prompt.

* ``sockets``: where sessions are found: sockets in the user's runtime directory, ports with a token.
* ``served_here``: the sessions that are served on this machine, as they describe themselves.
* ``lines``: JSON Lines both ways, bounded; ``greeting``: how a client begins.
* ``server``: takes clients, finds out what they speak, and gives each a session of its own.
* ``protocols``: who serves a client of each kind.
* ``clients``: batches, programs and prompts on the serving side: their commands run here.
* ``joining``: the prompt and the batch on the joining side: the keyboard and the screen.
* ``screens``: the full screen of a joined prompt, whose panes are read on the serving side.
* ``objects``: ``jdbpy.join``, for scripts: the objects of ``jdbpy.attach``.
* ``calls``: their calls, on the serving side.
* ``observations``: the calls of methods that they observe, on both sides.
* ``typed``: the form in which arguments and results of these calls cross.
* ``remote``: ``jdbpy.join_commands``, for scripts: commands of the prompt.
* ``main``: the three actions of the command line, ``serving`` the process of the first; ``cmdline``: their words.

What the clients of a session share belongs to ``jdbpy.join_session``.
"""
