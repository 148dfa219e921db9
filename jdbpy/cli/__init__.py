"""Text in, text out: the command table, the batch runner, the prompt and the renderers.

Uses only the public names of ``jdbpy``; speaks no JDWP and keeps no state of the target.

The way of a line:

* ``main``, ``cmdline``, ``run``: from the words of the command line to an exit status
* ``interpreter``: line after line; ``words``: their lexer; ``signature``: the arguments of a command, read from
  its function; ``arguments``: how each kind is parsed and completed; ``table``, ``names``: the commands
* ``commands``: the commands, by subject; ``context``: what they are given beside their arguments
* ``results``, ``breakpoint_list``, ``points``: results and words that several commands share
* ``output``: from a result to text; ``catalog``: all that there is to be shown

The front ends and what they are made of:

* ``driver``: what all have in common: lines are run, stops shown, sessions begun anew
* ``repl``: the prompt; ``batch``: scripts, with ``console`` for their output; ``played_batch``: a recording's lines
* ``screen``: the full screen, the other face of the prompt
* ``demo``: the bundled program, its tour
* ``jvms``: the JVMs of one prompt or batch; ``jvm_events``: their events in one order
* ``restarting``: a program started again; ``stop_actions``: what is run at stops; ``stop_values``: what
  these show
* ``settings``, ``topics`` (help on what is no command), ``newcomers`` (the first commands, words of others)
* ``jvmti``, ``listing`` (``jdbpy list``),
  ``packets`` (``jdbpy packets``), ``shells`` (``jdbpy completion``)
* ``python_lines``, ``plugin_commands``: Python at the prompt and in plug-ins
* ``embedded``: the door for the editor's console and for agents
"""
