"""Help on what is not a command: groups, forms of words, and what a JVM debugger cannot do."""

from __future__ import annotations

GROUPS = {
    "running": "letting the target run and making it stop",
    "stepping": "a line or an instruction at a time",
    "breakpoints": "where to stop",
    "stack": "where the threads are",
    "data": "variables and values",
    "changing": "changing where a thread goes on",
    "source": "source text",
    "classes": "what is loaded",
    "threads": "threads",
    "heap": "objects and memory",
    "vm": "the target VM, its properties, flags and modules",
    "settings": "how jdbpy behaves",
    "session": "the session, scripts and help",
    "plugins": "plug-ins, and Python at the prompt",
}

_CANNOT_JUMP = """\
A JVM cannot continue at another line. What comes near: `pop` drops the current frame and stands before the call again,
`reenter` runs the method anew, `return VALUE` leaves it now, `set` changes what the next lines will see."""

_CANNOT_REVERSE = """\
A live JVM cannot run backwards. `pop` goes back before the call of the current method; what it did stays done.
Calls of a method that were recorded can be walked back: `record Order.pay`, `recorded 5`, `back`, `back to 42`."""

TOPICS = {
    "locations": """\
Places in code, for `stop`, `break`, `tbreak`, `clear`, `until`, `advance` and `list`:
  com.acme.Order:42             a line of a class (also of the classes nested in it)
  Order.java:42                 a line of a source file
  com.acme.Order.total          a method: every overload
  Order.add(int,String)         one overload; types need no package
  com.acme.Order.<init>         a constructor; <clinit> the static initializer
  com.acme.Outer$Inner.run      a method of a nested class
  *.Order:42                    in any package
  Order:42:line                 of a line that holds lambdas the line only, Order:42:lambda the lambdas only,
                                Order:42:lambda2 the second; without it all are places: see `breakpoints`
  42   :42   +3   -2            lines of the class that the selected frame runs""",
    "repeat": """\
`!!` runs the last line again, `3 next` runs a command three times, and at the prompt an empty line repeats up, down,
step, next, stepi, nexti, cont, list, pop and reenter (`repeat off` ends that).""",
    "output": """\
`where > stack.txt` writes what a command shows into a file, `locals >> stack.txt` adds it. Behind an expression, where
`>` is Java's, the file stands in quotes or begins with `/`, `./`, `../` or `~/`: `print order > "order.txt"`.
`logpoint`, `trace` and their like have `to FILE`; `set packages none` leaves out packages.""",
    "keys": """\
Tab           completes commands, classes, methods, variables, fields, threads, breakpoints and files
Ctrl-C        clears a line that has text; on an empty one pauses the target; ends a command that takes long
Ctrl-D        leaves: an attached target runs on, a launched one is ended
Up, Ctrl-R    the history, which is kept over runs
Ctrl-Z        puts the debugger into the background""",
    "panes": """\
`screen` goes to the full screen and back; `--screen` begins there. Its panes: source, variables, stack, watches,
threads, jvms, output, and those of plug-ins. Keys there (`?` shows all):
F5 c          let the program run            F9 b          set a breakpoint, or delete it
F8 F10 n      step over                      u d           the calling, the called frame
F7 F11 s      step into                      / g           search, go to a line
Shift-F8 f    step out                       Tab 1 ... 7   other panes; o hides one, z makes it large
: Escape      to the command line and back   q             leave
F6 r          a line back, in a recorded call
`screen variables off` hides a pane, `screen output 12` sizes it, `screen source only` makes it large.""",
    "numbers": """\
Frames are numbered as `where` shows them, from 1; `#0` counts from 0, and `set frame-base 0` makes 0 the innermost.
Threads have the id that `threads` shows. Breakpoints, catchpoints, watchpoints and traces are numbered together in the
order in which they were set; so are displays and monitors. Values that `print` has shown are `$1`, `$2` and so on.""",
    "filters": """\
After the subject of `break`, `stop`, `tbreak`, `catch`, `watch` and `trace`, in any order:
  thread main                only in that thread
  on this                    only where that object is `this`; of `watch`, whose field it is
  after 2                    not before number 2 was hit; `after each 2` again after each of its hits
  -hit 3                     at the third time only; >= 3 from the third on; also <= 3, != 3, and % 3 for every third
  -t                         once
  -d                         set it disabled
  suspend all|thread|none    what a hit suspends; none only reports, as `--no-stop` before the subject
  if total > 100             when the expression is true there
Of places in code (`break`, `stop`, `tbreak`, `logpoint`, `tracepoint`):
  from Shop.sell,*Service    only when a caller, near or far, is of such a class or method
  in-target                  the target itself computes the condition, or the values: what `weave` asks for later
Of `catch`, `watch` and `trace`:
  in com.acme.*,*Order       only in code of these classes; `Order+` is that class with its subclasses
  except java.*              not in code of these
  from Shop.sell             only when a caller is of such a class or method
  cost 20%                   switched off when hits that do not stop suspend threads for more of the time than that
For what only reports there is more: `help reports`. What counts as a hit: `help conditions`.""",
    "conditions": """\
`break Order:42 if total > 100`, `condition 2 total > 100`: a boolean Java expression in the frame of the hit, which
`condition 2` takes away. It is checked when it is set, as far as the class is loaded. If it raises an error at a hit,
the thread stops and the error is shown; further hits with this error are ignored, and `breakpoints` counts them.

A hit is counted when the filters let it through, a caller fits and the condition holds. Then its number must be one of
`-hit` (`cond -hit 2 % 10`), and of those that are, the first pass that `ignore 2 10` lets pass. Where no
later number can be one of `-hit`, the breakpoint is over and leaves the target; `enable 2` counts anew.

`break Order:50 after 2` costs nothing until number 2 has been hit, which may be a breakpoint, a logpoint, a trace or
any other. When number 2 is deleted, it no longer waits.""",
    "reports": """\
What reports and does not stop (`logpoint`, `tracepoint`, and `trace`, `watch`, `catch` with `--no-stop` or
`--no-suspend`) may be given, after its subject and in any order:
  limit 10/s          at most so many a second; the number of omitted hits is shown; 0 only counts, none reports all
  to FILE             appended to a file, instead of being shown
  stack 5             with so many frames
  -max 1000           switched off after so many hits
  cost 20%            switched off when hits take more of the target's time than that; none for never
`set report-limit N` and `set cost-limit N` set the defaults for those without `limit` or `cost`. Conditions and
logpoints that take more than `cost-limit`, and hits that pass more often than `hot-limit` a second, are reported
once.""",
    "jump": _CANNOT_JUMP,
    "goto": _CANNOT_JUMP,
    "reverse": _CANNOT_REVERSE,
    "reverse-step": _CANNOT_REVERSE,
    "reverse-continue": _CANNOT_REVERSE,
    "attach": """\
A target is chosen when jdbpy starts: `jdbpy attach HOST:PORT`. The JVM must have been started with the agent,
  -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005
because it cannot be added to a running JVM.""",
}
"""Answers to `help TOPIC`, in Markdown."""
