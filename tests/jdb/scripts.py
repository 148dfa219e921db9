"""Scripts that run through both: every command of jdb, each with right and with wrong arguments.

``{marker}`` is the line of a marker in fixtures/JdbTour.java, ``{sources}`` and ``{classes}`` are its directories.
``<main>`` is the id of the main thread, as a list of threads before has it: the agent gives ids in the order in which
it is asked.
Marks at the start of a line: see ``driving``.
"""

from __future__ import annotations

from collections.abc import Mapping

EVERY_COMMAND = """\
!!
bytecodes
class
classes
classpath
disablegc
down
dump
enablegc
eval
extension
fields
gc
interrupt
kill
lines
list
load
locals
lock
memory
methods
monitor
next
pop
print
redefine
reenter
resume
save
set
step
stepi
suspend
thread
threadgroup
threadgroups
threadlocks
threads
trace
unmonitor
untrace
up
wherei
connectors x
help x
? x
version x
sourcepath /nope
use
use /nope
sourcepath
sourcepath {sources}
exclude none
exclude
exclude java.*, javax.*; sun.*,com.sun.* jdk.*
exclude
dbgtrace 010
dbgtrace 0
read /dev/null
0 version
2
3x version
catch caught Foo*
stop in JdbTour.work(int
catch all java.lang.Foo
ignore all java.lang.Foo
watch go JdbTour.counter
unwatch JdbTour.counter
watch access 1x.f
stop
stop in JdbTour.work
stop at JdbTour:{call}
stop in JdbTour.caught
stop in Nope.x
stop foo
stop at
stop in JdbTour
stop in 1bad.x
stop at JdbTour:x
stop at JdbTour:5 6
stop in JdbTour.work(int
stop go at JdbTour:1
stop 7 at JdbTour:3
clear JdbTour:1
clear Nope.x
clear Nope.y
clear foo
catch Foo
catch uncaught
ignore Foo
watch
watch counter
watch JdbTour.counter
unwatch JdbTour.counter
unwatch
exclude
print 1
where
threads
cont
use
repeat
bogus
help
?
connectors
# a comment
?2 # twice
dbgtrace x
unmonitor 1
read
~run
run
version
!!
!!x
stop
catch
threads main
interrupt <main>
suspend <main>
resume <main>
where
threadgroups
threadgroups x
classes x
classpath x
locals x
threads nope
threads
threadgroups
threadgroup nope
threadgroup main
threads
threadgroup
thread
thread <main>
thread 99
thread main
where
wherei
where <main>
where 99
where all
locals
~next
~next
~next
~next
up
up 0
up x
up 9
where
locals
down
down 9
list
list 1
list 9999
list work
list add
list nope
use
classpath
~next
print
dump
eval
set
print square
dump square
dump list
dump numbers
print numbers
print square.name
print letter
print label
print none
print 1 + 2
print 5 > 3
print "a" + 1
print 1.0f / 3
print nope
print square.nope
print this
print rest[0]
print nope.x.y
print com.foo.Bar
print java.lang.String
print JdbTour.nope
print JdbTour.add("x")
print 5 % 3
print (int) 3.7
set total = "x"
wherei all
fields java.lang.String
methods int[]
lines int[]
lines JdbTour$Square nope
redefine JdbTour$Base {classes}/JdbTour$Base.class
print JdbTour.counter
eval square.side
set square
set total = 5
print total
set square.name = "new"
set numbers[0] = 9
print numbers[0]
locals
?save
save x
save x square
lock
lock square
lock 1
threadlocks
threadlocks <main>
threadlocks 99
class
class JdbTour
class JdbTour$Square
class JdbTour$Square all
class JdbTour$Square bad
class JdbTour$Shape
class java.util.List
class *.JdbTour$Base
class int[]
class Nope
methods
methods JdbTour$Square
methods Nope
fields
fields JdbTour$Square
fields Nope
lines
lines JdbTour$Square
lines JdbTour caught
bytecodes
bytecodes JdbTour$Square
bytecodes JdbTour$Square rename
bytecodes Nope x
extension
extension JdbTour
extension Nope
disablegc
disablegc square
enablegc square
enablegc 1
disablegc 1
?kill
?kill 99 x
interrupt 99
redefine
redefine Nope x
redefine JdbTour
redefine JdbTour /nope
gc
load x
memory
repeat on
repeat
repeat maybe
repeat off
read /nope
suspend 99
resume 99
pop 99
monitor #
monitor
+next
unmonitor
unmonitor x
unmonitor 9
unmonitor 1
monitor
stop in JdbTour.add(int,int)
stop in JdbTour.nope
stop at JdbTour$Square:9999
stop thread at JdbTour:{locked}
stop <main> at JdbTour:{locked}
stop 99 at JdbTour:{locked}
clear JdbTour.add(int,int)
clear JdbTour:{locked}
exit now
"""

KILL = "~kill 1 new"
"""The line of STOPS that may end an old JVM."""

STOPS = """\
exclude java.*,jdk.*
exclude
stop in JdbTour$Square.area
~run
~step
pop
where
reenter 99
~reenter
where
~cont
clear JdbTour$Square.area
watch all JdbTour.counter
stop in JdbTour.caught
~cont
~cont
unwatch all JdbTour.counter
trace
trace foo
trace method
trace methods 99
trace method exit
trace
untrace
trace
trace method exits
~cont
untrace
trace methods
~cont
untrace methods
~cont
catch java.lang.IllegalStateException
~cont
ignore java.lang.IllegalStateException
~stepi
list
locals
~kill 1 new java.lang.IllegalStateException("killed")
~cont
suspend
"""

GOING_ON = """\
stop go in JdbTour.caught
stop at JdbTour:{work}
catch caught java.lang.IllegalStateException
watch access JdbTour.counter
~run
trace go methods
~cont
untrace
trace go method exits
~cont
untrace
unwatch access JdbTour.counter
clear JdbTour:{work}
stop thread at JdbTour:{locked}
=cont
threads main
thread <main>
where
"""


DETAILS = """\
stop go at JdbTour:{work}
stop at JdbTour:{call}
stop in JdbTour.add(int,int)
~run
methods JdbTour
set count = "x"
set count = 1.5
set count = true
set flag = 1
set flag = "x"
set label = 5
set label = square
set label = numbers
set numbers = "x"
set square = "x"
set square.name = 3
set square.corners = label
print 9223372036854775807
print 2147483648
print 2147483647
print 9223372036854775808
set big = 9223372036854775807
print big
print "9223372036854775807"
~cont
where
?2 2 up
where
down
down
repeat on
LIST
LIST
up
LIST
LIST
repeat off
trace methods 1
trace go method exits
untrace
pop 9
reenter 9
catch uncaught java.lang.IllegalArgumentException
stop in JdbTour.caught
redefine JdbTour {classes}/JdbTour.class
stop
clear JdbTour.add(int,int)
~cont
exit
"""

LAST_FRAME = """\
stop in JdbTour.main
~run
reenter
pop
exit
"""

DEFERRED = """\
stop in JdbTour$Square.nope
stop at JdbTour$Square:1
~run
where
stop
exit
"""

DEFERRED_IN_PART = """\
stop in JdbTour$Square.area
stop in JdbTour$Square.nope
~run
where
stop
exit
"""

EXITS = """\
stop at JdbTour:{values}
~run
trace go method exits
~next
untrace
exit
"""

TRACED_ANEW = """\
stop at JdbTour:{values}
~run
trace methods 1
trace methods
~cont
~cont
untrace
exit
"""

SUSPENDED = """\
stop at JdbTour:{values}
~run
stop in JdbTour.caught
suspend 1
suspend 1
resume 1
resume 1
~cont
exit
"""

NEVER_RUN = """\
stop
quit x
"""

SCRIPTS = {
    "EVERY_COMMAND": EVERY_COMMAND,
    "STOPS": STOPS,
    "GOING_ON": GOING_ON,
    "DETAILS": DETAILS,
    "LAST_FRAME": LAST_FRAME,
    "DEFERRED": DEFERRED,
    "DEFERRED_IN_PART": DEFERRED_IN_PART,
    "EXITS": EXITS,
    "TRACED_ANEW": TRACED_ANEW,
    "SUSPENDED": SUSPENDED,
    "NEVER_RUN": NEVER_RUN,
}


def lines(script: str, words: Mapping[str, object]) -> list[str]:
    """The lines of a script, with what is in braces replaced."""
    return [line.format_map(words) if "{" in line and "}" in line else line for line in script.splitlines()]


def typed() -> set[str]:
    """All lines of all scripts, without their marks."""
    return {
        line if line.startswith(("!!", "? ")) or line == "?" else line.lstrip("~?!+=")
        for script in SCRIPTS.values()
        for line in script.splitlines()
    }
