"""The order in which the parts of a session that hang on to others are called, from a breakpoint to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jdbpy
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.extension import Extension
from tests.harness import Jvm, debug, inline
from tests.harness.debugging import Debugging

SOURCE = """
class Turns {
    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            next(i);
        }
    }
    static int next(int value) {
        int result = value + 1; // @work
        return result;
    }
}
"""
PROGRAM = inline(SOURCE, release=8)
NEWER = inline(SOURCE.replace("value + 1", "value + 2"), release=8)


NONE = jdbpy.SuspendPolicy.NONE


def recorder(calls: list[str]) -> Extension:
    """Return an extension that enters the name of each of its methods that is called, and does nothing else."""

    def entered(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            calls.append(name)
            return method(*args)

        return called

    methods = {name: method for name, method in vars(Extension).items() if not name.startswith("_")}
    recording: type[Extension] = type("Recorder", (Extension,), {n: entered(n, each) for n, each in methods.items()})
    return recording()


def taken(calls: list[str]) -> list[str]:
    """Return what was called since the last time."""
    found = calls[:]
    calls.clear()
    return found


async def to_work(d: Debugging) -> None:
    await d.resume()
    await d.wait_stop("breakpoint", at="work")


async def test_hooks_are_called_in_this_order(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM, options=jdbpy.Options(source_path=(PROGRAM.sources,), in_target="ask")) as d:
        calls = list[str]()
        d.session._target.extensions.add(recorder(calls))
        point = await d.session.breakpoints.add(d.at("work"))
        assert taken(calls) == ["breakpoint_removed"]
        await to_work(d)
        assert taken(calls) == [
            "resumed",
            "request_at",
            "breakpoint_installed",
            "class_prepared",
            "resumed",
            "before_stop",
        ]
        await d.session.breakpoints.set_condition(point.number, "value >= 2")
        d.session.points.of_type(LineBreakpoint)[0].look_after = 1
        assert taken(calls) == ["before_change", "breakpoint_removed", "request_at", "breakpoint_installed"]
        await to_work(d)
        assert taken(calls) == ["resumed", "hit_threshold", "resumed", "before_stop", "resumed"]
        await d.session.hotswap.redefine_all(NEWER.classes)
        assert taken(calls) == ["hot_swapped", "code_cleared", "request_at", "breakpoint_installed", "redefined"]
        trace = await d.session.traces.methods(method="Turns.next", options=jdbpy.PointOptions(policy=NONE))
        assert taken(calls) == ["breakpoint_removed", "breakpoint_installed"]
        caught = await d.session.catchpoints.exception("java.lang.IllegalStateException")
        assert taken(calls) == []
        await d.session.breakpoints.disable([point.number])
        assert taken(calls) == ["before_change", "breakpoint_removed", "breakpoints_removed"]
        await d.session.breakpoints.remove([point.number, trace.number, caught.number])
        assert taken(calls) == ["before_change", "breakpoint_removed", "breakpoint_removed", "breakpoints_removed"]
        await d.session.execution.suspend()
        assert taken(calls) == ["suspended"]
        await d.session.detach()
        d.unseen()
        assert taken(calls) == ["before_leave", "closing_commands", "resumed", "resumed"]
