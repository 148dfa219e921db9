"""Round-trip budgets: how many times a command may wait for an answer before it can ask on, whatever the target's size.

Expressions have their own in ``test_expression_budgets``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import jdbpy
from benchmarks.bench import TARGETS
from tests.benchmarks.counted import SLOW, at_hit, at_look, attached, crowd
from tests.harness import Jvm, program, start_target

ALL = jdbpy.Limits(elements=2_000, fields=100)


async def test_attach(jvm: Jvm) -> None:
    """All that is asked rides in the segment of the handshake."""
    async with crowd(jvm) as counted:
        assert counted.relay.traffic().waves <= 1


async def test_attach_at_the_start(jvm: Jvm) -> None:
    """Whether threads are held is one more, and what the stop shows comes beside it or in the next."""
    async with start_target(jvm, program("Data", where=TARGETS)) as target:
        async with attached(target) as counted:
            assert counted.session.last_stop is not None
            assert counted.session.last_stop.reason is jdbpy.StopReason.START
            assert counted.relay.traffic().waves <= 3


async def test_threads(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert await counted.waves(counted.session.threads.list()) <= 3


async def test_where_all(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        await counted.session.execution.suspend()
        assert await counted.waves(counted.session.stack.all()) <= 4
        assert await counted.waves(counted.session.stack.all()) <= 2


async def test_what_is_asked_again_at_one_stop(jvm: Jvm) -> None:
    """While nothing runs a question that is asked again costs no trip, until something is changed or runs."""
    async with crowd(jvm) as counted:
        session = counted.session
        await session.execution.suspend()
        questions: list[Callable[[], Awaitable[object]]] = [
            lambda: session.threads.list(with_frames=True),
            session.stack.all,
            session.classes.list,
            lambda: session.classes.detail("java.util.HashMap"),
            session.heap.histogram,
            session.locks.deadlocks,
        ]
        for question in questions:
            assert await counted.waves(question()) >= 1
            assert await counted.waves(question()) == 0
        await session.execution.resume()
        await session.execution.suspend()
        assert await counted.waves(session.stack.all()) >= 1


async def test_what_is_asked_again_of_a_frame(jvm: Jvm) -> None:
    async with at_hit(jvm) as counted:
        session = counted.session
        names = [each.name for each in await session.stack.variables()]
        assert names
        for question in (session.stack.variables, lambda: session.values.dump(names[0], ALL)):
            await counted.waves(question())
            assert await counted.waves(question()) == 0


async def test_histogram(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert await counted.waves(counted.session.heap.histogram()) <= 2


async def test_classes(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert await counted.waves(counted.session.classes.list()) <= 1


async def test_class(jvm: Jvm) -> None:
    async with crowd(jvm) as counted:
        assert await counted.waves(counted.session.classes.detail("java.util.concurrent.CountDownLatch")) <= 4


async def test_hit(jvm: Jvm) -> None:
    """From ``cont`` to the next stop with its source: one if it comes soon, as the frame is asked for with the resume.

    One more where it comes later.
    """
    async with at_hit(jvm, rtt=SLOW) as counted:
        assert await counted.waves(counted.session.execution.cont()) <= 2
        assert await counted.fewest(counted.session.execution.cont, 1) == 1


async def test_hit_with_locals_and_watches(jvm: Jvm) -> None:
    """What a screen shows at a hit, when the classes are known: frame and slots, and what the objects in them hold.

    Two more are links behind an object that is new at each hit: a builder's array, and that array's characters.
    """
    async with at_look(jvm, rtt=SLOW) as counted:
        session = counted.session

        async def screen() -> None:
            await session.execution.cont()
            await session.values.evaluate("left * right", remember=False)
            await session.values.evaluate("product + number", remember=False)
            await session.stack.variables(limits=jdbpy.Limits(depth=0))

        await screen()
        assert await counted.waves(screen()) <= 1 + 1 + 3
        assert await counted.fewest(screen, 1 + 3) <= 1 + 3


async def test_step(jvm: Jvm) -> None:
    """One, if the line takes no longer than the link; one more to show where it has ended if it does."""
    async with at_hit(jvm, rtt=SLOW) as counted:
        execution = counted.session.execution
        await execution.step(jdbpy.StepDepth.OVER)
        assert await counted.waves(execution.step(jdbpy.StepDepth.OVER)) <= 1 + 1
        assert await counted.fewest(lambda: execution.step(jdbpy.StepDepth.OVER), 1) == 1


async def test_locals(jvm: Jvm) -> None:
    """Again at the same stop, only what may have changed is read: fields and elements, and a builder's characters.

    Cold, too: the slots came with the stop, and what the objects in them are was asked when it had been read. Strings
    inside of them are two more: they may be huge, so their lengths come before their texts.
    """
    async with at_look(jvm) as counted:
        session = counted.session
        assert await counted.waves(session.stack.variables()) <= 2 + 2
        assert await counted.waves(session.stack.variables()) <= 2
        assert await counted.waves(session.values.evaluate("number + left")) == 0


async def test_variables_of_all_frames(jvm: Jvm) -> None:
    """What variables the methods have, the values, what the objects are, what is in them: of all frames at once.

    Four of them are classes that nobody has looked at, with those above, which the protocol tells level by level.
    Again what may have changed is read, as of one frame. The lengths of strings are two.
    """
    async with crowd(jvm) as counted:
        session = counted.session
        await session.execution.suspend()
        trace = max(await session.stack.all(), key=lambda trace: len(trace.frames))
        frames = [frame for frame in trace.frames if not frame.native]
        assert len(frames) > 10
        assert await counted.waves(session.stack.variables_of_all(frames)) <= 5 + 4 + 2
        assert await counted.waves(session.stack.variables_of_all(frames)) <= 2


async def test_dump(jvm: Jvm) -> None:
    """Known classes: the variable is remembered, then the fields, then what is in the objects among them.

    The builder among them takes one more for its characters. Cold, the classes of the objects in its fields come after
    the fields, with what they consist of as far as the declared types foretell it; its own was looked at with the stop.
    """
    async with at_look(jvm) as counted:
        values = counted.session.values
        assert await counted.waves(values.dump("data", ALL)) <= 4 + 2  # the lengths of strings
        assert await counted.waves(values.dump("data", ALL)) <= 3
        assert await counted.waves(values.dump("words", ALL)) <= 2 + 2


async def test_filter(jvm: Jvm) -> None:
    """A filter over 2,000 strings: the array, the first one, all others. Cold, the class String comes first, and of
    each string the array behind it, then the length of that; the texts are not asked for."""
    async with at_look(jvm) as counted:
        values = counted.session.values
        assert await counted.waves(values.evaluate("words[? it.length() > 5]")) <= 2 + 3 + 5
        assert await counted.waves(values.evaluate("words[? it.length() > 7]")) <= 1


async def test_map(jvm: Jvm) -> None:
    """Size and table, buckets, keys with their values, and the longest chain of a bucket: one trip a node.

    A thousand such strings in 2,048 buckets have chains of five: who does not run code follows them node by node. The
    expression's static field is one more. Cold, the class of the object is another, and those of its keys and values;
    what they consist of is known by then.
    """
    async with at_look(jvm) as counted:
        values = counted.session.values
        assert await counted.waves(values.evaluate("Data.STOCK", limits=ALL)) <= 1 + 3 + 5 + 3
        assert await counted.waves(values.evaluate("Data.STOCK", limits=ALL)) <= 1 + 3 + 5


async def test_twenty_thousand_classes(jvm: Jvm) -> None:
    """As many classes are one answer; a class among them asks every class for its parents, in one wave."""
    async with start_target(jvm, program("Library", where=TARGETS), "20000", suspend=False) as target:
        await target.wait_output("ready")
        async with attached(target) as counted:
            session = counted.session
            listed: list[jdbpy.ClassInfo] = []

            async def list_them() -> None:
                listed.extend(await session.classes.list())

            assert await counted.waves(list_them()) <= 1  # what attaching has asked last may still be on its way
            names = [each.name for each in listed]
            assert names == sorted(names)
            own = [each for each in listed if each.name.startswith("com.acme.shop.part")]
            assert len({each.name for each in own}) == 20_000
            assert {(each.kind, each.signature[:1]) for each in own} == {("class", "L")}
            assert await counted.waves(session.classes.list("*.Entry77")) == 1
            assert await counted.waves(session.classes.detail("java.lang.Runnable")) <= 4


async def test_what_methods_of_the_target_tell(jvm: Jvm) -> None:
    """Calls that do not depend on each other are one trip; a class that has to be loaded is three beside them.

    Cold: the classes, what they consist of, the loading, what the loaded ones consist of, and then what is counted
    again: for ``vm`` the names of properties, the calls, the one on an object that they give, the strings; for
    ``uptime`` the beans and what they tell; for ``flags`` and ``memory`` lists, their arrays, the elements, what they
    hold, and what is in that; for ``jcmd`` the bean, the call, its text. The link lets no call come before the last one
    has ended, which would have to be sent once more: so the load of the machine does not count.
    """
    async with at_look(jvm, rtt=SLOW, calls_in_turn=True) as counted:
        vm, usage = counted.session.vm, counted.session.heap.usage
        assert await counted.waves(vm.facts()) <= 7 + 4 + 2
        assert (
            await counted.fewest(vm.facts, 4 + 1 + 2) <= 4 + 1 + 2
        )  # the lengths of strings that methods give come first
        assert await counted.waves(vm.clocks()) <= 6 + 4
        assert await counted.fewest(vm.clocks, 2 + 1) <= 2 + 1
        assert await counted.waves(vm.flags()) <= 9 + 4 + 2
        assert await counted.fewest(vm.flags, 6 + 2) <= 6 + 2  # as above
        assert await counted.waves(usage.memory()) <= 9 + 4 + 2
        assert await counted.fewest(usage.memory, 5 + 3) <= 5 + 3  # eighteen calls at once
        assert await counted.waves(vm.diagnostic_command("VM.version")) <= 6 + 4 + 2
        assert await counted.fewest(lambda: vm.diagnostic_command("VM.version"), 3 + 2) <= 3 + 2


async def test_times_of_threads(jvm: Jvm) -> None:
    """The fields of the threads beside the lookup of classes; their loading, the bean, the call, its answer's array.

    No call comes too early, as above. ``detail`` describes the thread's context loader beside that. Java 25 keeps
    some of the fields in an object of their own, which is one more.
    """
    async with at_look(jvm, rtt=SLOW, calls_in_turn=True) as counted:
        threads = counted.session.threads
        main = (await threads.find("main")).id
        assert await counted.waves(threads.detail(main)) <= 9 + 4
        assert await counted.fewest(lambda: threads.detail(main), 5) <= 5
        found = await threads.list()
        assert await counted.fewest(lambda: threads.with_times(found), 5) <= 5


async def test_class_of_a_loader(jvm: Jvm) -> None:
    """Where a class of the program comes from is read link by link: class, domain, source, URL, its parts.

    Java 17 has the domain in a map in the loader, with four links more (a table's length comes before its references,
    of which the agent must not be asked for too many at once); of a second class it is known which it is.
    """
    async with at_look(jvm) as counted:
        classes = counted.session.classes
        assert await counted.waves(classes.detail("Data")) <= 13
        assert await counted.waves(classes.detail("Data$Node")) <= 6
        assert await counted.waves(classes.detail("Data")) <= 2


async def test_modules(jvm: Jvm) -> None:
    """The modules, their names, and of all at once descriptor, version and text; what these are is learned beside."""
    async with at_look(jvm) as counted:
        modules = counted.session.modules
        assert await counted.waves(modules.list()) <= 6
        assert await counted.waves(modules.list()) <= 5


async def test_module(jvm: Jvm) -> None:
    """Sets in maps in fields of the module, and of its descriptor: one trip a link, classes looked up on the way.

    The last ones, four to ten, are nodes of the longest chain in one of sixty maps; identity hashes always differ.
    """
    async with at_look(jvm) as counted:
        modules = counted.session.modules
        assert await counted.waves(modules.detail("java.base")) <= 25
        assert await counted.waves(modules.detail("java.base")) <= 20


async def test_properties(jvm: Jvm) -> None:
    """System's field, the map in it, its class and table, the slots, the longest chain of nodes, the texts."""
    async with at_look(jvm) as counted:
        vm = counted.session.vm
        assert await counted.waves(vm.properties()) <= 13
        assert await counted.waves(vm.properties()) <= 9


async def test_deadlocks(jvm: Jvm) -> None:
    """The threads, what each is, holds and wants, then names and classes; again the last are known.

    Cold, 2 more where the class of a lock is told only when the lock is known, and HotSpot of Java 21 or later does
    not tell what Object.wait waits for but with ``this`` of its frame. Locks of java.util.concurrent would be 2 more.
    """
    told = int(jvm.feature < 21)
    async with at_look(jvm) as counted:
        locks = counted.session.locks
        assert await counted.waves(locks.deadlocks()) <= 6 - told
        assert await counted.waves(locks.deadlocks()) <= 3
        assert await counted.waves(locks.of()) <= 3


async def test_lock(jvm: Jvm) -> None:
    """The monitor beside the threads, then what they are parked for; cold, what the class Thread has is between."""
    async with at_look(jvm) as counted:
        session = counted.session
        held = await session.values.evaluate("data.o0", limits=jdbpy.Limits(depth=0))
        other = await session.values.evaluate("words", limits=jdbpy.Limits(depth=0))
        assert held.id and other.id
        assert await counted.waves(session.locks.state(held.id)) <= 3
        assert await counted.waves(session.locks.state(other.id)) <= 3


async def test_path_from_a_root(jvm: Jvm) -> None:
    """The threads, their frames, the places with names, what variables methods have, and the values of all frames.

    A level of referrers is one more, and what is found takes its class, its fields, and a class among the referrers the
    type that it stands for and its static fields.
    """
    async with at_look(jvm) as counted:
        session = counted.session
        root = await session.values.evaluate("data", limits=jdbpy.Limits(depth=0))
        inner = await session.values.evaluate("data.s1", limits=jdbpy.Limits(depth=0))
        assert root.id and inner.id
        assert await counted.waves(session.heap.path(root.id)) <= 5
        assert await counted.waves(session.heap.path(root.id)) <= 2
        assert await counted.waves(session.heap.path(inner.id)) <= 2 + 1 + 5
        assert await counted.waves(session.heap.path(inner.id)) <= 2 + 1 + 2
        assert await counted.waves(session.heap.referrers(inner.id)) <= 3


async def test_single_classes(jvm: Jvm) -> None:
    """What a class of the JDK declares with what is above it, levels that were not foreseen one more each.

    Line tables are asked for by method, which the class tells first. A listing of all classes holds until something has
    run: the whole target stands still.
    """
    async with at_look(jvm) as counted:
        classes = counted.session.classes
        assert await counted.waves(classes.find("Data")) <= 1
        assert await counted.waves(classes.find("Data$Node")) == 0
        assert await counted.waves(classes.methods("java.util.HashMap")) <= 2
        assert await counted.waves(classes.methods("java.util.HashMap")) <= 1
        assert await counted.waves(classes.lines("java.util.ArrayList")) <= 2
        assert await counted.waves(classes.lines("java.util.ArrayList", "add")) <= 1


async def test_watch(jvm: Jvm) -> None:
    """Watching for the class with its listing, then the field. A variable is read beside a listing, then its class."""
    async with at_look(jvm) as counted:
        watchpoints = counted.session.watchpoints
        assert await counted.waves(watchpoints.add("data.i0")) <= 2 + 2
        assert await counted.waves(watchpoints.add("data.i1")) <= 1 + 2
        assert await counted.waves(watchpoints.add("Data.i2")) <= 2
