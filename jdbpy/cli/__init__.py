"""Text in, text out: the command table, the batch runner, the prompt and the renderers.

Uses only the public names of ``jdbpy``; speaks no JDWP and keeps no state of the target.

The way of a line:

* ``main``, ``cmdline``, ``action_help``, ``run``: from the words of the command line to an exit status
* ``interpreter``: line after line; ``words``: their lexer; ``signature``: the arguments of a command, read from
  its function; ``arguments``: how each kind is parsed and completed; ``table``, ``names``: the commands
* ``recorded_words``: words that mean something else while a recorded call is open
* ``commands``: the commands, by subject; ``context``: what they are given beside their arguments
* ``results``, ``breakpoint_list``, ``points``: results and words that several commands share
* ``pictures``: what commands draw; ``output``: from a result to text; ``catalog``: all that there is to be shown

The front ends and what they are made of:

* ``driver``: what all have in common: lines are run, stops shown, sessions begun anew
* ``repl``: the prompt; ``batch``: scripts, with ``console`` for their output; ``played_batch``: a recording's lines
* ``screen``: the full screen, the other face of the prompt
* ``demo``: the bundled program, its tour
* ``redirection``: ``COMMAND > FILE``; ``resolving``: what a name of a class or a member stands for
* ``jvms``: the JVMs of one prompt or batch; ``jvm_events``: their events in one order; ``taken``: one that has
  another debugger
* ``failing_tests``: a command that runs tests, ``build_summary``: its failures in Markdown
* ``restarting``: a program started again; ``stop_actions``: what is run at stops; ``stop_values``: what
  these show
* ``repeating``: what is shown again and again, in place at the prompt; ``progress``: what is measured for a while
* ``settings``, ``topics`` (help on what is no command), ``newcomers`` (the first commands, words of others)
* ``jvmti``, ``listing`` (``jdbpy jvms``),
  ``packets`` (``jdbpy packets``), ``recordings`` (``jdbpy open FILE.jfr``), ``shells`` (``jdbpy completion``)
* ``python_lines``, ``plugin_commands``: Python at the prompt and in plug-ins
* ``embedded``: the door for the editor's console and for agents
"""
