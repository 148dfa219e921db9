"""jdb mode: ``jdbpy jdb ARGS...`` stands in for the JDK's jdb, for the people and programs that drive that.

jdb's command line, prompts, commands and words over the same session as everything else. Owns the dialect only: what a
breakpoint or a value is stands in the session. Where jdb is at fault the right answer is given in jdb's form;
``docs/jdb.md`` lists every difference.

* ``main``, ``cmdline``: the command line; ``run``: from there to the exit status
* ``connectors``, ``opening``: JDI's connectors, and the sessions that they open
* ``interpreter``: commands by name, and lines; ``commands``: the commands by subject; ``debugger``: what they share
* ``specs``: what shall stop the target, in jdb's words; ``events``: what has
* ``output``, ``values``, ``texts``: jdb's form of everything that is shown; ``conversions``: what fits into what
"""
