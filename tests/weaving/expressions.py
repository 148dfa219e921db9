"""The tables of expressions (``tests/eval/comparison``) as helpers: woven in front of the statements in which Java
evaluates the same ones, so that both find the same variables."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from jdbpy.record import Record
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.eval.ops.flow import Statements
from jdbpy.session.eval.program import Compiled, Program
from jdbpy.session.in_target.emit.expressions import emit
from jdbpy.session.in_target.emit.refusals import NotInTarget
from jdbpy.session.in_target.weave.condition_helper import named
from jdbpy.session.in_target.weave.records import CheckCall, Emitted, WovenPlace
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.java.class_file import parse
from jdbpy.session.java.edit.assembler import PUBLIC, Assembler, ClassWriter, Label
from jdbpy.session.model.threads import FrameInfo
from tests.harness import Jvm, inline
from tests.harness.jvms import BRIEF
from tests.harness.programs import Program as JavaProgram

HELPER = "subject/Jdbpy__table"
WOVEN = "in the target: "
"""What stands before the place in what the helper prints."""

_SUBJECT = "subject/Subject"
_STRING, _OBJECT, _THROWABLE = "Ljava/lang/String;", "Ljava/lang/Object;", "Ljava/lang/Throwable;"
_STATEMENT = re.compile(r'(?:show|print)\("(\w+)", (\d+),')

Number = tuple[str, int]
"""Place and number of an expression."""

_DRIVER = """
    import java.lang.invoke.*;
    import java.nio.file.*;
    public class Driver {
        public static void main(String[] args) throws Throwable {
            java.lang.reflect.Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
            field.setAccessible(true);
            MethodHandles.Lookup lookup = (MethodHandles.Lookup) field.get(null);
            Class<?> helper = Class.forName("subject.Jdbpy__table");
            for (String line : Files.readAllLines(Paths.get(args[0]))) {
                String[] part = line.split("\\t");
                Class<?> owner = Class.forName(part[2]);
                String name = part[3], type = part[4];
                MethodType method = MethodType.fromMethodDescriptorString(
                    type.startsWith("(") ? type : "()" + type, Driver.class.getClassLoader());
                MethodHandle made;
                switch (part[1]) {
                    case "getter": made = lookup.findGetter(owner, name, method.returnType()); break;
                    case "static getter": made = lookup.findStaticGetter(owner, name, method.returnType()); break;
                    case "method": made = lookup.findVirtual(owner, name, method); break;
                    case "static method": made = lookup.findStatic(owner, name, method); break;
                    default: made = lookup.findConstructor(owner, method);
                }
                helper.getField(part[0]).set(null, made);
            }
            Class.forName("subject.Subject").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        }
    }
"""


class Table(Record):
    """``emitted`` are the expressions of the subset, ``refused`` the others with the reason."""

    emitted: dict[Number, Emitted]
    refused: dict[Number, str]


async def take_in(table: Table, number: Number, evaluator: Evaluator, frame: FrameInfo, text: str) -> None:
    """Emit an expression in a frame."""
    async with evaluator.evaluation(frame) as evaluation:
        try:
            compiled = await Program(text).compile(evaluation.target, evaluation._graph, evaluator.variables)
            op = compiled.op
            if isinstance(op, Statements) and len(op.ops) == 1:
                op = op.ops[0]
            table.emitted[number] = emit(Compiled(op, compiled.compiler), frame.location.class_name)
        except NotInTarget as reason:
            table.refused[number] = reason.reason


def run_woven(jvm: Jvm, program: JavaProgram, table: Table, directory: Path) -> str:
    """What the program prints that evaluates the table itself and, before each expression, in the helper."""
    classes = directory / "classes"
    shutil.copytree(program.classes, classes)
    source = next(Path(program.sources).rglob("Subject.java")).read_text(encoding="utf-8")
    lines: dict[int, Number] = {}
    for at, line in enumerate(source.splitlines(), 1):
        for place, number in _STATEMENT.findall(line):
            lines[at] = place, int(number)
    calls = {
        number: CheckCall(HELPER, f"{number[0]}{number[1]}", emitted.parameters)
        for number, emitted in table.emitted.items()
    }
    for file in classes.rglob("*.class"):
        data = file.read_bytes()
        places = []
        for method in parse(data).methods:
            first: dict[int, int] = {}
            for index, number in method.lines:
                first[number] = min(index, first.get(number, index))
            places += [
                WovenPlace(method.name, method.signature, index, calls[lines[number]])
                for number, index in first.items()
                if lines.get(number) in calls
            ]
        if places:
            woven = weave(data, places)
            assert not woven.refused, woven.refused
            file.write_bytes(woven.data)
    (classes / f"{HELPER}.class").write_bytes(_helper(table.emitted, calls))
    handles = {each for emitted in table.emitted.values() for each in emitted.handles}
    rows = ["\t".join((each.field, each.kind, each.owner_name, each.name, each.signature)) for each in handles]
    (directory / "handles").write_text("\n".join(rows), encoding="utf-8")
    driver = inline(_DRIVER).on(jvm)
    opened = ["--add-opens=java.base/java.lang.invoke=ALL-UNNAMED"] if jvm.feature >= 9 else []
    command = [jvm.java, *BRIEF, "-Xverify:all", *opened]
    command += ["-cp", f"{classes}:{driver.classes}", "Driver", str(directory / "handles")]
    done = subprocess.run(command, capture_output=True, timeout=60, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def _helper(table: Mapping[Number, Emitted], calls: Mapping[Number, CheckCall]) -> bytes:
    """A class with a method for each expression, which shows its value as the program does."""
    writer = ClassWriter(HELPER, public=True)
    for handle in {each.field for emitted in table.values() for each in emitted.handles}:
        writer.field(PUBLIC, handle, "Ljava/lang/invoke/MethodHandle;")
    for number, emitted in table.items():
        writer.method(
            calls[number].name,
            calls[number].signature,
            _shows(number, emitted),
            emitted.parameters,
            named(emitted.parameters),
        )
    return writer.data()


def _shows(number: Number, emitted: Emitted) -> Callable[[Assembler], None]:
    def write(code: Assembler) -> None:
        start, end, failed = Label(), Label(), Label()
        code.place(start)
        emitted.write(code)
        value = code.new_local(emitted.signature)
        code.store(emitted.signature, value)
        code.place(end)
        code.push_string(WOVEN + number[0])
        code.push_int(number[1])
        code.load(emitted.signature, value)
        code.call_static(_SUBJECT, "show", f"({_STRING}I{emitted.signature})V")
        code.return_()
        code.handle(start, end, failed)
        code.place(failed)
        thrown = code.new_local(_THROWABLE)
        code.store(_THROWABLE, thrown)
        code.push_string(WOVEN + number[0])
        code.push_int(number[1])
        code.load(_THROWABLE, thrown)
        code.call_static(_SUBJECT, "thrown", f"({_STRING}I{_THROWABLE})V")
        code.return_()

    return write
