"""The full-screen front end: source, stack, variables, watches, threads and output in panes above a command line.

It shares session, history, completion and commands with the plain prompt: a key runs a command line.

* ``state``: the data that the panes show, as plain records; ``reader``: reads it from the session, with ``sources``,
  ``tree``, ``recorded_call`` and ``plugin_panes``
* ``model``: the screen without a terminal, made of ``panes``, ``source_pane``, ``output_pane`` (with ``output_log``),
  ``layout`` and ``fragments``
* ``keys``: key bindings; ``look``: colors; ``application``: the screen on a terminal; ``full_prompt``: the screen as a
  source of command lines
* ``switching``: switches between the plain prompt and the screen; the rest of the front end uses only this module
"""
