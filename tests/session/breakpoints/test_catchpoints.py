"""Catchpoints on real JVMs: exceptions by class, pattern, sort and origin; classes, threads and the end of the VM."""

from __future__ import annotations

import pytest

from jdbpy import JdbpyError, PointOptions, Stopped, SuspendPolicy, UsageError
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java

STORE = "happenings.store"


async def run(d: Debugging) -> Stopped:
    """Lets the target run to its next stop, for an exception."""
    await d.resume()
    stop = await d.wait_stop("exception")
    assert stop.exception is not None
    return stop


async def to_the_end(d: Debugging) -> None:
    await d.resume()
    await d.wait_exit()


# -- exceptions ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("nothing_ahead")
async def test_an_exception_class_that_is_loaded_later(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        point = await d.session.catchpoints.exception(f"{STORE}.OutOfStock")
        assert (point.number, point.kind, point.spec) == (1, "exception", f"all {STORE}.OutOfStock")
        assert point.message == f"pending: class {STORE}.OutOfStock is not loaded yet"
        await d.resume()
        notice = await d.wait_notice("breakpoint-resolved")
        assert notice.text == f"catchpoint 1 is set for all {STORE}.OutOfStock"
        stop = await d.wait_stop("exception", at="out-of-stock", breakpoint=1, frames=["Store.take"])
        thrown = stop.exception
        assert thrown is not None
        assert (thrown.type, thrown.message, thrown.caught) == (f"{STORE}.OutOfStock", "no tea", True)
        assert thrown.cause == "java.io.IOException: shelf is empty"
        assert thrown.catch_location is not None
        assert thrown.catch_location.method == "exceptions"
        before = d.session.statistics().waves
        await run(d)
        assert d.session.statistics().waves - before <= 9  # resume, 3 for the throwable, 4 for its cause, the frame
        stop = await run(d)  # a subclass counts, as in a catch clause
        await d.check_stop(stop, "exception", at="special")
        assert stop.exception is not None
        assert (stop.exception.message, stop.exception.cause) == (None, "")
        assert d.session.points.get(1).hits == 3
        await to_the_end(d)


@pytest.mark.every_java
async def test_caught_and_uncaught(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        caught = await d.session.catchpoints.exception("IllegalStateException", uncaught=False)
        uncaught = await d.session.catchpoints.exception("*", caught=False)
        stop = await run(d)
        await d.check_stop(stop, "exception", at="own", thread="main", breakpoint=caught.number)
        assert d.session.points.get(caught.number).spec == "caught java.lang.IllegalStateException"
        stop = await run(d)
        await d.check_stop(stop, "exception", at="closed", thread="doomed", breakpoint=uncaught.number)
        assert stop.exception is not None
        assert (stop.exception.caught, stop.exception.catch_location) == (False, None)
        await to_the_end(d)


async def test_a_pattern_is_for_the_classes_that_fit_it_and_no_others(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        await d.session.catchpoints.exception("*.OutOfStock")
        await d.resume()
        await d.wait_stop("exception", at="out-of-stock")
        await run(d)
        point = d.session.points.get(1)
        assert (point.hits, point.spec) == (2, "all *.OutOfStock")
        await d.session.catchpoints.exception(f"{STORE}.*")
        stop = await run(d)  # Special is a subclass of OutOfStock, but only the second pattern fits its name
        await d.check_stop(stop, "exception", at="special")
        assert stop.breakpoints == (2,)
        await to_the_end(d)


async def test_thrown_from_some_classes_and_not_from_others(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        mine = PointOptions(classes=(f"{STORE}.*", "*.Store"))
        await d.session.catchpoints.exception("IllegalStateException", options=mine)
        others = PointOptions(excludes=(f"{STORE}.*", "java.*", "jdk.*", "sun.*"))
        await d.session.catchpoints.exception("java.lang.RuntimeException", options=others)
        assert [dict(point.options) for point in d.session.points.list()] == [
            {"in": f"{STORE}.*,*.Store"},
            {"except": f"{STORE}.*,java.*,jdk.*,sun.*"},
        ]
        stop = await run(d)
        await d.check_stop(stop, "exception", at="own")
        assert stop.breakpoints == (2,)
        stop = await run(d)
        await d.check_stop(stop, "exception", at="closed")
        assert stop.breakpoints == (1,)  # both patterns fit the class, and the hit counts once
        assert [point.hits for point in d.session.points.list()] == [1, 1]
        await to_the_end(d)


async def test_thrown_from_a_class_and_its_subclasses(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        with pytest.raises(UsageError, match=r"no class happenings\.Happenings is loaded"):
            await d.session.catchpoints.exception(options=PointOptions(classes=("happenings.Happenings+",)))
        await d.session.breakpoints.add("happenings.Happenings.exceptions", temporary=True)
        await d.resume()
        await d.wait_stop("breakpoint")
        await d.session.catchpoints.exception("*", options=PointOptions(classes=("Happenings+",)))
        stop = await run(d)
        await d.check_stop(stop, "exception", at="own")
        await to_the_end(d)


async def test_a_condition_an_ignore_count_and_one_time_only(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        options = PointOptions(condition='item.equals("tea")', ignore=1, temporary=True)
        await d.session.catchpoints.exception(f"{STORE}.OutOfStock", options=options)
        await d.resume()
        await d.wait_stop("exception", at="out-of-stock", breakpoint=1)
        assert d.session.points.list() == []
        await to_the_end(d)


async def test_the_second_exception_of_a_thread_by_the_count_of_the_target(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        await d.session.breakpoints.add("happenings.Happenings.exceptions", temporary=True)
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        assert stop.thread is not None
        options = PointOptions(thread=stop.thread.id, policy=SuspendPolicy.NONE, classes=(f"{STORE}.*",))
        await d.session.catchpoints.exception("*", options=options)
        await d.resume()
        texts = [(await d.wait_notice("exception-thrown")).text for _ in range(3)]
        assert texts[0].startswith(f'exception {STORE}.OutOfStock: no tea thrown: thread "main", {STORE}.Store.take')
        await d.wait_exit()  # the exception of the other thread was not for this catchpoint


async def test_what_is_no_exception(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "fields") as d:
        with pytest.raises(UsageError, match=r"java\.lang\.String is not an exception class"):
            await d.session.catchpoints.exception("java.lang.String")
        with pytest.raises(UsageError, match="neither caught nor uncaught"):
            await d.session.catchpoints.exception("*", caught=False, uncaught=False)
        await d.session.catchpoints.exception("happenings.Counter")
        await d.resume()
        notice = await d.wait_notice("breakpoint-failed")
        assert notice.text == "catchpoint 1 cannot be set: happenings.Counter is not an exception class"
        await d.wait_exit()


async def test_finding_a_catchpoint_by_its_class(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings") as d:
        await d.session.catchpoints.exception("IllegalStateException", caught=False)
        await d.session.catchpoints.exception("com.acme.*")
        find = d.session.catchpoints.find_exceptions
        assert find("java.lang.IllegalStateException") == find("IllegalStateException") == [1]
        assert find("IllegalStateException", caught=True, uncaught=True) == []
        assert find("com.acme.*") == [2]
        await d.session.points.remove([1, 2])
        await d.resume()
        await d.wait_exit()


# -- classes -------------------------------------------------------------------------------------------------------


async def test_classes_that_are_loaded(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "exceptions") as d:
        await d.session.catchpoints.class_load(options=PointOptions(classes=(f"{STORE}.*",), excludes=("*.Store",)))
        await d.session.catchpoints.class_load("Special*", options=PointOptions(policy=SuspendPolicy.NONE))
        loaded = []
        for _ in range(2):
            await d.resume()
            event = await d.next_event()
            if not isinstance(event, Stopped):  # of Special both are told
                assert event.text.startswith(f"class {STORE}.Special loaded")  # type: ignore[union-attr]
                event = await d.next_event()
            assert isinstance(event, Stopped)
            assert str(event.reason) == "class-prepare"
            loaded.append(event.class_name)
        assert sorted(loaded) == [f"{STORE}.OutOfStock", f"{STORE}.Special"]
        assert [point.spec for point in d.session.points.list()] == [f"load {STORE}.*", "load source Special*"]
        assert sum(point.hits for point in d.session.points.list()) == 3
        await to_the_end(d)


async def test_the_second_class_only(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "fields") as d:
        options = PointOptions(classes=("happenings.*",), temporary=True, ignore=2)
        await d.session.catchpoints.class_load(options=options)
        before = d.session.statistics().events
        await d.resume()
        stop = await d.wait_stop("class-prepare")  # after Happenings and Counter
        assert stop.class_name == "happenings.Tally"
        assert d.session.statistics().events - before == 1  # the target has counted
        assert d.session.points.list() == []
        await to_the_end(d)


@pytest.mark.two_javas
async def test_classes_that_are_unloaded(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "unload", jvm_options=["-XX:+UseSerialGC"]) as d:
        point = await d.session.catchpoints.class_unload(options=PointOptions(classes=("happenings.*", "*.Passing")))
        assert point.policy is SuspendPolicy.NONE
        await d.run_to("passed")
        assert [each.name for each in await d.session.classes.list("*Passing")] == [f"{STORE}.Passing"]
        await d.resume()
        notice = await d.wait_notice("class-unloaded")
        assert notice.text == f"class {STORE}.Passing unloaded"
        await d.session.values.assign("happenings.Happenings.unloaded", "true")
        await d.wait_exit()
        assert d.session.points.get(1).hits == 1
        assert not any(name.endswith("Passing") for name in d.session.classes.known().classes)


# -- threads and the end -------------------------------------------------------------------------------------------


@pytest.mark.every_java
async def test_threads_that_start_and_end(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "threads") as d:
        await d.session.breakpoints.add("happenings.Happenings.threads", temporary=True)
        await d.resume()
        await d.wait_stop("breakpoint")
        await d.session.catchpoints.thread(death=False, options=PointOptions(ignore=1, temporary=True))
        await d.session.catchpoints.thread(start=False)
        await d.resume()
        await d.wait_stop("thread-death", thread="first", breakpoint=3)
        await d.resume()
        stop = await d.wait_stop("thread-start", thread="second", breakpoint=2)
        assert stop.temporary
        await d.session.points.remove([3])
        await to_the_end(d)


@pytest.mark.two_javas
async def test_virtual_threads_only_when_asked_for(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", *(["virtual"] if jvm.feature >= 21 else ["threads"])) as d:
        await d.session.breakpoints.add("happenings.Happenings.main", temporary=True)
        await d.resume()
        await d.wait_stop("breakpoint")
        go = PointOptions(policy=SuspendPolicy.NONE)
        await d.session.catchpoints.thread(death=False, options=go)
        await d.session.catchpoints.thread(death=False, virtual=True, options=go)
        await d.session.breakpoints.add(d.at("done"))
        d.ignored.add("thread-started")
        await d.resume()
        await d.wait_stop("breakpoint", at="done")
        platform, every = (d.session.points.get(number).hits for number in (2, 3))
        assert every - platform == (1 if jvm.feature >= 21 else 0)
        assert every > 0


async def test_the_end_of_the_vm(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "methods") as d:
        await d.session.catchpoints.exit()
        await d.resume()
        stop = await d.wait_stop("vm-death", breakpoint=1)
        assert stop.thread is None
        assert stop.policy is SuspendPolicy.ALL
        assert any(thread.name == "DestroyJavaVM" for thread in await d.session.threads.list())
        await to_the_end(d)


async def test_filters_that_do_not_fit(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings") as d:
        catch = d.session.catchpoints
        with pytest.raises(UsageError, match="starts and ends of threads cannot be limited to classes"):
            await catch.thread(options=PointOptions(classes=("a.*",)))
        with pytest.raises(UsageError, match="the unloading of classes cannot be limited to a thread"):
            await catch.class_unload(options=PointOptions(thread=1))
        with pytest.raises(UsageError, match="the end of the VM cannot be given a condition"):
            await catch.exit(options=PointOptions(condition="true"))
        with pytest.raises(JdbpyError, match="one '\\*', at the start or at the end"):
            await catch.class_load(options=PointOptions(classes=("a.*.b",)))
        assert d.session.points.list() == []
        await d.resume()
        await d.wait_exit()
