"""The full screen of the prompt: panes of source, stack, variables, watches, threads and output above a line to type.

A session, its history, its completion and its commands are those of the plain prompt: keys are lines that are run.

* ``state``: what the panes show, as plain records; ``reader``: asks the session for it, with ``sources``, ``tree`` and
  ``plugin_panes``
* ``model``: the screen without a terminal, of ``panes``, ``source_pane``, ``output_pane`` (with ``output_log``),
  ``layout`` and ``fragments``
* ``keys``: what keys do; ``look``: colors; ``application``: the screen on a terminal; ``full_prompt``: it as a source
  of lines
* ``switching``: the prompt with both faces, which is all that the front end knows of it
"""
