"""Frames of code with checks: what is popped, made to return, entered again and stepped is as it is without them."""

from __future__ import annotations

import jdbpy
from jdbpy import StepDepth, StepSize
from tests.harness import Debugging, Jvm, debug, inline

PROGRAM = inline("""
    class T {
        public static void main(String[] args) {
            int sum = 0;
            for (int i = 0; i < 500; i++) sum += new Desk().outer(i);
            System.out.println("sum " + sum + " calls " + Desk.calls);
        }
    }
    class Desk {
        static int calls;
        int outer(int i) {
            int j = i;
            calls++; // @outer
            j += inner(i); // @call
            return j; // @end
        }
        private synchronized int inner(int i) {
            int k = i * 2; // @first
            k += calls; // @inner
            return k; // @back
        }
        public String toString() { return "desk"; }
    }""")

CONDITIONS = {
    "outer": "i == -1",
    "call": "calls < 0 || j == 400",
    "first": "i == -1",
    "inner": "i % 100 == 99 && i < 400 && k == 2 * i",
    "back": "i == -1",
}


class Record:
    """What a session sees and the program counts, stop by stop."""

    def __init__(self, d: Debugging) -> None:
        self._d = d
        self._execution = d.session.execution
        self.rows: list[object] = []

    async def note(self, stop: object) -> None:
        """Where the thread stands: stack, variables, the instruction that comes next."""
        assert isinstance(stop, jdbpy.Stopped), stop
        await self._d.check_stop(stop, stop.reason)
        await self.stands(str(stop.reason), stop.breakpoint)

    async def stands(self, *words: object) -> None:
        trace = await self._d.session.stack.of()
        frames = [(each.location.method, each.location.line, each.obsolete) for each in trace.frames]
        [code] = await self._d.session.code.disassemble()
        current = [(each.name, each.operands) for each in code.instructions if each.current]
        values = [(await self._d.session.values.evaluate(each)).text for each in ("i", "Desk.calls")]
        self.rows.append((*words, frames, current, values))

    async def run(self) -> None:
        await self.note(await self._execution.cont())

    async def step(self, depth: StepDepth, size: StepSize = StepSize.LINE, count: int = 1) -> None:
        await self.note(await self._execution.step(depth, size, count))


async def run_through(jvm: Jvm, in_target: str, *, woven: bool = False) -> list[object]:
    """Return what comes of all of it, with conditions in the target or without."""
    async with debug(jvm, PROGRAM, options=jdbpy.Options(in_target=in_target)) as d:
        breakpoints, execution = d.session.breakpoints, d.session.execution
        for marker, condition in CONDITIONS.items():
            await breakpoints.add(d.at(marker, "Desk"), condition=condition, woven=woven)
        record = Record(d)

        await record.run()  # 99: made to return
        assert [each.in_target for each in breakpoints.list()] == [woven] * len(CONDITIONS)
        await execution.force_return("7")
        await record.step(StepDepth.OVER)
        await record.step(StepDepth.OVER)
        await record.step(StepDepth.OUT)

        await record.run()  # 199: popped, and called again by a step
        await execution.pop()
        await record.stands("popped")
        await record.step(StepDepth.INTO)
        await record.step(StepDepth.OVER)
        await record.step(StepDepth.OUT)

        await record.run()  # 299: two frames popped; the call of the caller is made again and comes through each check
        await execution.pop(2)
        await record.stands("popped")
        await record.run()
        await execution.reenter()
        await record.note(await d.next_event())
        await execution.force_return("-1")

        await record.run()  # 399: instructions, over the places of checks
        await execution.pop()
        for _ in range(9):
            await record.step(StepDepth.INTO, StepSize.MIN)
        await execution.pop(2)
        await record.step(StepDepth.OVER, StepSize.MIN)
        await record.step(StepDepth.INTO, StepSize.MIN, 40)  # up to a hit in the caller, at 400
        await record.step(StepDepth.INTO, StepSize.MIN, 6)
        await execution.force_return("1")
        record.rows.append([each.hits for each in breakpoints.list()])
        await d.resume()
        await d.wait_exit()
        record.rows.append(d.target.stdout)
        return record.rows


async def test_pops_forced_returns_and_steps_are_as_without_checks(jvm: Jvm) -> None:
    """Also where conditions go in by themselves in the midst of it, when they are hot."""
    ordinary = await run_through(jvm, "off")
    for changed in (await run_through(jvm, "off", woven=True), await run_through(jvm, "auto")):
        for one, other in zip(ordinary, changed, strict=True):
            assert one == other


async def test_a_class_of_the_jvm_s_own_is_changed_only_when_asked_for(jvm: Jvm) -> None:
    """``auto`` leaves it alone and says so; a breakpoint that asks for it is computed there, and hits as the other."""
    source = """
        class T {
            public static void main(String[] args) {
                for (int turn = 0; turn < 3; turn++) {
                    java.util.BitSet set = new java.util.BitSet();
                    for (int i = 0; i < 400; i++) set.set(i);
                    System.out.println("turn " + turn + " " + set.cardinality()); // @turn
                }
            }
        }"""
    async with debug(jvm, inline(source)) as d:
        d.session.instrumentation.mode = "eager"
        point = await d.session.breakpoints.add("java.util.BitSet.set(int)", condition="cardinality() == 399")
        await d.resume()
        await d.wait_stop("breakpoint", breakpoint=point.number)
        shown = d.session.breakpoints.get(point.number)
        assert (shown.in_target, shown.ordinary) == (False, "its class is one of the JVM's own")
        assert d.session.instrumentation.woven() == []
        d.session.instrumentation.ask(point.number)
        await d.run_to("turn", "T")
        for turn in (1, 2):
            await d.resume()
            stop = await d.wait_stop("breakpoint", breakpoint=point.number)
            assert stop.frame is not None and not stop.frame.obsolete
            assert (await d.session.values.evaluate("cardinality()")).text == "399"
            assert d.session.breakpoints.get(point.number).in_target
            assert [each.class_name for each in d.session.instrumentation.woven()] == ["java.util.BitSet"], turn
        await d.session.detach()
        d.unseen()
        await d.target.wait_output("turn 2 400")
