"""Hot swap on real JVMs: what changed is found, replaced in one step, and what hung on the old code is put in order."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy import hotswap
from jdbpy.errors import EvalError, JdwpError, StateError, UsageError
from jdbpy.session.hotswap.files import find_javac
from jdbpy.session.java.class_file import MalformedClassFile, parse
from jdbpy.session.sources.local_classes import path_of_url
from tests.harness import Debugging, Jvm, debug, inline, program
from tests.harness.jvms import javac

PROGRAM = program("Swapped", release=8)  # its class files replace each other on all versions
SOURCE = Path(PROGRAM.sources, "Swapped.java").read_text(encoding="utf-8")
Edit = Callable[[str], str]


def compiled(edit: Edit) -> str:
    """The directory of the classes of a changed source."""
    changed = edit(SOURCE)
    assert changed != SOURCE
    return inline(changed, release=8).classes


def result_plus_10(source: str) -> str:
    return source.replace("return result;", "return result + 10;")


async def at_marker(d: Debugging, marker: str) -> jdbpy.BreakpointInfo:
    point = await d.session.breakpoints.add(d.at(marker))
    await d.resume()
    await d.wait_stop("breakpoint", at=marker)
    return point


async def value(d: Debugging, text: str) -> str:
    return (await d.session.values.evaluate(text)).text


async def end(d: Debugging) -> None:
    await d.session.breakpoints.clear_all()
    await d.resume()
    await d.wait_exit()


async def test_a_directory_whose_classes_run_already_changes_nothing(jvm: Jvm) -> None:
    """Every class of a program of some variety is found to be the same as its file."""
    async with debug(jvm, "Shop") as d:
        await at_marker(d, "closed")
        same = await d.session.hotswap.redefine_all(d.program.classes)
        assert (same.classes, same.not_loaded) == ((), ())
        assert {"shop.Order", "shop.Order$1", "shop.Basket", "shop.Priced", "shop.Plugin"} <= set(same.unchanged)
        both = await d.session.hotswap.redefine("Plugin", f"{d.program.classes}/shop/Plugin.class")
        assert {each.id for each in both.classes} == {each.id for each in await d.session.classes.find("Plugin")}
        assert len(both.classes) == 2  # of two loaders
        await end(d)


@pytest.mark.usefixtures("nothing_ahead")
@pytest.mark.every_java
async def test_what_changed_in_a_directory_is_replaced(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM) as d:
        point = await at_marker(d, "return")
        before = d.session.statistics().waves
        done = await d.session.hotswap.redefine_all(compiled(result_plus_10))
        assert d.session.statistics().waves - before <= 14
        [changed] = done.classes
        assert (changed.name, changed.changes) == ("Swapped", ("next(int)",))
        assert (done.unchanged, done.not_loaded) == ((), ("Swapped$Helper",))
        [frame] = done.obsolete
        assert (frame.index, frame.obsolete, frame.location.method) == (1, True, "<obsolete>")
        assert done.lost == ()
        # the old call goes on in the old code, the next one runs the new, and the breakpoint stands in it
        with pytest.raises(StateError, match="replaced"):
            await d.session.code.disassemble()
        with pytest.raises(EvalError) as caught:
            await value(d, "result")
        assert "the code of this frame was replaced" in caught.value.hint
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="return", breakpoint=point.number)
        assert await value(d, "round") == "1"
        assert stop.frame is not None
        assert not stop.frame.obsolete
        await d.session.execution.step(jdbpy.StepDepth.OUT)
        await d.wait_stop("step", at="loop")
        await d.session.execution.step(jdbpy.StepDepth.OVER)
        await d.wait_stop("step")
        assert await value(d, "round") == "12"
        # the same files once more: they are what runs now
        again = await d.session.hotswap.redefine_all(compiled(result_plus_10))
        assert again.classes == ()
        assert again.unchanged == ("Swapped", "Swapped$Helper")
        await end(d)


SLOTS = """
class Slots {
    public static void main(String[] args) {
        for (int i = 1; i < 1_000; i++) at(i);
    }
    static int at(int i) {
        int a = i * 2;
        int b = i * 3;
        return a + b; // @use
    }
}
"""


@pytest.mark.one_java
async def test_conditions_and_texts_read_the_variables_of_the_new_code(jvm: Jvm) -> None:
    """They lie in other slots there, while the places are called as before."""
    swapped = SLOTS.replace("int a = i * 2;", "int B").replace("int b = i * 3;", "int a = i * 2;")
    async with debug(jvm, inline(SLOTS)) as d:
        text = jdbpy.PointOptions(log="{a} {b}", condition="a % 50 == 0")
        await d.session.breakpoints.add(d.at("use"), condition="a % 100 == 0 && b > 0")
        await d.session.breakpoints.add_with(d.at("use"), text)
        for i in (50, 100, 150, 200, 250, 300):
            await d.resume()
            for logged in (i - 25, i):
                assert (await d.wait_notice("logpoint")).text == f"{logged * 2} {logged * 3}"
            stop = await d.wait_stop("breakpoint", breakpoint=1)
            assert (await value(d, "i"), stop.message) == (str(i), "")
            if i == 150:
                done = await d.session.hotswap.redefine_all(inline(swapped.replace("B", "b = i * 3;")).classes)
                [changed] = done.classes
                assert changed.changes == ("at(int)",)
        d.ignored.add("logpoint")
        await end(d)


@pytest.mark.one_java
async def test_a_condition_at_a_hit_in_code_that_was_replaced_meanwhile(jvm: Jvm) -> None:
    """As it is for a hit that is looked at after the swap, at a place where the condition was never asked before."""
    async with debug(jvm, inline(SLOTS)) as d:
        stop = await d.run_to("use")
        assert stop.thread is not None
        assert (await value(d, "a"), await value(d, "b")) == ("2", "3")
        await d.session.breakpoints.add(d.at("use"), condition="b == 3 && a == 2")
        await d.session.breakpoints.add_with(d.at("use"), jdbpy.PointOptions(log="{a} {b}"))
        [condition, text] = d.session.breakpoints._all()
        [at] = condition.placed
        await d.session.hotswap.redefine_all(inline(SLOTS.replace("int b", "int c = 8; int b")).classes)
        with pytest.raises(EvalError, match="cannot find symbol: variable a"):
            await value(d, "a")
        assert condition.condition is not None and text.log is not None
        assert await condition.condition.holds(stop.thread.id, at=at)
        assert (await text.log.render(stop.thread.id, at=at)).text == "2 3"
        await end(d)


async def test_pop_leads_from_the_old_code_into_the_new(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM) as d:
        await at_marker(d, "return")
        [order] = (await d.session.hotswap.redefine_all(compiled(result_plus_10))).classes
        assert order.file.endswith("Swapped.class")
        await d.session.execution.pop()
        await d.resume()
        await d.wait_stop("breakpoint", at="return")
        await d.session.execution.step(jdbpy.StepDepth.OUT)
        await d.wait_stop("step", at="loop")
        await d.session.execution.step(jdbpy.StepDepth.OVER)
        await d.wait_stop("step")
        assert await value(d, "round") == "11"
        await end(d)


@pytest.mark.one_java
async def test_one_class_and_its_file(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM) as d:
        await at_marker(d, "note")
        swap = d.session.hotswap
        directory = compiled(lambda source: source.replace('"round "', '"turn "'))
        done = await swap.redefine("Swapped.Helper", f"{directory}/Swapped$Helper.class")
        assert [(each.name, each.changes) for each in done.classes] == [("Swapped$Helper", ("note(int)",))]
        done = await swap.redefine("", f"{PROGRAM.classes}/Swapped$Helper.class")  # back, by the file's own name
        assert [(each.name, each.changes) for each in done.classes] == [("Swapped$Helper", ("note(int)",))]
        for name, file, message in (
            ("Swapped", f"{directory}/Swapped$Helper.class", r"is the class Swapped\$Helper, not Swapped"),
            ("Swapped", f"{PROGRAM.sources}/Swapped.java", "is not a class file: it does not begin with CAFEBABE"),
            ("Swapped", f"{directory}/Nothing.class", "cannot be read: No such file"),
            ("No.Such", f"{directory}/Swapped.class", "no class No.Such is loaded"),
            ("Swapped[]", f"{directory}/Swapped.class", "no class|is an array type"),
        ):
            with pytest.raises(UsageError, match=message):
                await swap.redefine(name, file)
        await end(d)


async def test_a_jar(any_jvm: Jvm, tmp_path: Path) -> None:
    jar = tmp_path / "app.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for name in ("Swapped.class", "Swapped$Helper.class"):
            archive.write(f"{compiled(result_plus_10)}/{name}", f"BOOT-INF/classes/{name}")
    async with debug(any_jvm, PROGRAM) as d:
        await at_marker(d, "note")
        done = await d.session.hotswap.redefine_all(str(jar))
        assert [each.file for each in done.classes] == [f"{jar}!/BOOT-INF/classes/Swapped.class"]
        assert done.unchanged == ("Swapped$Helper",)
        shutil.copytree(PROGRAM.classes, tmp_path / "two" / "old")
        shutil.copytree(compiled(result_plus_10), tmp_path / "two" / "new")
        with pytest.raises(UsageError, match="two files of Swapped that differ"):
            await d.session.hotswap.redefine_all(str(tmp_path / "two"))
        for path, message in ((tmp_path / "empty", "no class files in"), (tmp_path / "no.jar", "No such")):
            if path.name == "empty":
                path.mkdir()
            with pytest.raises(UsageError, match=message):
                await d.session.hotswap.redefine_all(str(path))
        await end(d)


@pytest.mark.every_java
async def test_a_source_is_compiled_for_the_target(jvm: Jvm, tmp_path: Path) -> None:
    """With the class path of the target, for the release of the class."""
    source = tmp_path / "Swapped.java"
    source.write_text(result_plus_10(SOURCE))
    async with debug(jvm, PROGRAM) as d:
        await at_marker(d, "note")
        swap = d.session.hotswap
        done = await swap.redefine_sources([str(source)])
        assert [(each.name, each.file, each.changes) for each in done.classes] == [("Swapped", "", ("next(int)",))]
        source.write_text(SOURCE.replace("return result;", "return result"))
        with pytest.raises(UsageError, match=r"Swapped\.java:\d+: ';' expected") as caught:
            await swap.redefine_sources([str(source)])
        assert caught.value.code == "DOES_NOT_COMPILE"
        source.write_text(SOURCE.replace("int result", "Nothing result").replace("String last", "Nope last"))
        with pytest.raises(UsageError, match="cannot find symbol") as caught:
            await swap.redefine_sources([str(source)])
        assert "also Swapped.java" in caught.value.hint
        with pytest.raises(UsageError, match="no file"):
            await swap.redefine_sources([str(tmp_path / "Absent.java")])
        await end(d)


HOST = inline("""
class Host {
    public static void main(String[] args) throws Exception {
        java.net.URL[] urls = {java.nio.file.Path.of(args[0]).toUri().toURL()};
        Class<?> plugin = new java.net.URLClassLoader(urls).loadClass("plug.Plugin");
        System.out.println(plugin.getMethod("run").invoke(null)); // @first
        System.out.println(plugin.getMethod("run").invoke(null)); // @second
    }
}
""")
PLUGIN = {
    "plug/Plugin.java": "package plug; public class Plugin { public static int run() { return Helper.one(); } }",
    "plug/Helper.java": "package plug; class Helper { static int one() { return 1; } static int two() { return 2; } }",
}


def plugin(directory: Path) -> tuple[Path, Path]:
    """A directory of classes that is not on the class path, and the changed source of one of them."""
    for name, text in PLUGIN.items():
        (directory / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / "src" / name).write_text(text)
    sources = [str(path) for path in (directory / "src/plug").iterdir()]
    subprocess.run([javac(), "--release", "17", "-g", "-d", directory / "classes a", *sources], check=True)
    source = directory / "src/plug/Plugin.java"
    source.write_text(PLUGIN["plug/Plugin.java"].replace("one()", "two()"))
    return directory / "classes a", source


@pytest.mark.one_java
async def test_a_source_is_compiled_on_what_its_class_loader_reads_from(jvm: Jvm, tmp_path: Path) -> None:
    """As in a web application. Paths that the target tells are used below those that the user has named."""
    classes, source = plugin(tmp_path)
    options = jdbpy.Options(source_path=(str(tmp_path),))
    async with debug(jvm, HOST, f"{classes}/", options=options) as d:
        await at_marker(d, "second")
        done = await d.session.hotswap.redefine_sources([str(source)])
        assert [(each.name, each.changes) for each in done.classes] == [("plug.Plugin", ("run()",))]
        await end(d)
        assert d.target.stdout.split() == ["1", "2"]


async def test_a_class_loader_does_not_choose_paths_of_this_machine(any_jvm: Jvm, tmp_path: Path) -> None:
    classes, source = plugin(tmp_path)
    async with debug(any_jvm, HOST, f"{classes}/") as d:
        await at_marker(d, "second")
        with pytest.raises(UsageError, match="cannot find symbol") as caught:
            await d.session.hotswap.redefine_sources([str(source)])
        assert f"{classes}/ of the target's class path" in caught.value.hint
        assert "'-cp PATHS'" in caught.value.hint
        done = await d.session.hotswap.redefine_sources([str(source)], [str(classes)])
        assert [each.name for each in done.classes] == ["plug.Plugin"]
        with pytest.raises(UsageError, match="cannot find symbol") as caught:
            await d.session.hotswap.redefine_sources([str(source)], [str(tmp_path)])
        assert "'-cp PATHS' names other directories" in caught.value.hint
        await end(d)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:/srv/app/WEB-INF/classes/", "/srv/app/WEB-INF/classes/"),
        ("file:/srv/an%20app/a.jar", "/srv/an app/a.jar"),
        ("jar:file:/srv/a.jar!/", "/srv/a.jar"),
        ("jar:file:/srv/a.jar!/BOOT-INF/lib/b.jar!/", ""),
        ("http://example.org/a.jar", ""),
        ("file://server/share/a.jar", ""),
        ("jrt:/java.base", ""),
    ],
)
def test_paths_in_urls_of_class_loaders(url: str, path: str) -> None:
    assert path_of_url(url) == path


def test_a_compiler_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match="no javac of Java 99") as caught:
        find_javac(99)
    assert "redefine CLASS FILE" in caught.value.hint


REFUSED: list[tuple[str, Edit, str, str]] = [
    (
        "ADD_METHOD_NOT_IMPLEMENTED",
        lambda source: source.replace("int next(", "int more(String text) { return 1; }\n int next("),
        "cannot add a method",
        r"Swapped: new method more\(String\)",
    ),
    (
        "DELETE_METHOD_NOT_IMPLEMENTED",
        lambda source: source.replace("static void note(", "static void noted(").replace(
            "Helper.note(", "Helper.noted("
        ),
        "cannot (add|remove) a method",
        r"Swapped\$Helper: (new method noted|no method note)\(int\)",
    ),
    (
        "SCHEMA_CHANGE_NOT_IMPLEMENTED",
        lambda source: source.replace("private final int step;", "private final int step; long other;"),
        "cannot change the fields",
        "Swapped: new field long other",
    ),
    (
        "HIERARCHY_CHANGE_NOT_IMPLEMENTED",
        lambda source: source.replace("class Swapped", "class Swapped implements java.io.Serializable", 1),
        "cannot change what a loaded class extends",
        "Swapped: implements java.io.Serializable",
    ),
    (
        "METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED",
        lambda source: source.replace("int next(", "public int next("),
        "cannot change the modifiers of a method",
        r"Swapped: other modifiers of next\(int\)",
    ),
    (
        "CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED",
        lambda source: source.replace("class Swapped", "final class Swapped", 1),
        "cannot change the modifiers of a loaded class",
        "Swapped: other modifiers of the class",
    ),
]


@pytest.mark.every_java
async def test_what_the_vm_refuses_is_explained_and_changes_nothing(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM) as d:
        await at_marker(d, "note")
        swap = d.session.hotswap
        for code, edit, sentence, about in REFUSED:
            with pytest.raises(JdwpError, match=sentence) as caught:
                await swap.redefine_all(compiled(edit))
            assert caught.value.code == code or "noted" in about, caught.value
            assert caught.match(about)
            assert "nothing was changed" in caught.value.message
            assert caught.value.hint
        assert (await swap.redefine_all(PROGRAM.classes)).classes == ()
        await end(d)


@pytest.mark.one_java
async def test_a_class_file_that_the_target_does_not_know(jvm: Jvm, tmp_path: Path) -> None:
    async with debug(jvm, PROGRAM) as d:
        await at_marker(d, "note")
        data = bytearray(await trio.Path(PROGRAM.classes, "Swapped.class").read_bytes())
        data[6:8] = (255).to_bytes(2, "big")
        file = tmp_path / "Swapped.class"
        file.write_bytes(data)
        with pytest.raises(JdwpError, match=r"Swapped is 255\.0, Java 211") as caught:
            await d.session.hotswap.redefine("Swapped", str(file))
        assert caught.value.code == "UNSUPPORTED_VERSION"
        code = await trio.Path(PROGRAM.classes, "Swapped.class").read_bytes()
        broken = code.replace(parse(code).methods[2].code, bytes(len(parse(code).methods[2].code)))
        file.write_bytes(broken)
        with pytest.raises(JdwpError, match=r"verifier rejects the new code.*: Swapped; nothing") as caught:
            await d.session.hotswap.redefine("Swapped", str(file))
        assert caught.value.code == "FAILS_VERIFICATION"
        await end(d)


@pytest.mark.one_java
async def test_a_breakpoint_without_a_place_in_the_new_code_is_told(jvm: Jvm) -> None:
    async with debug(jvm, PROGRAM) as d:
        await at_marker(d, "note")
        d.session.breakpoints.refuse_lines_without_code()
        point = await d.session.breakpoints.add(d.at("return"))
        moved = compiled(lambda source: source.replace("class Swapped {", "class Swapped {" + "\n" * 40, 1))
        done = await d.session.hotswap.redefine_all(moved)
        assert {each.name for each in done.classes} == {"Swapped", "Swapped$Helper"}
        assert all("lines of" in change for each in done.classes for change in each.changes)
        assert point.number in [each.number for each in done.lost]
        d.ignored.add("breakpoint-failed")
        await d.resume()
        await d.wait_exit()


@pytest.mark.one_java
async def test_a_breakpoint_does_not_move_into_another_method_of_the_new_code(jvm: Jvm) -> None:
    """Within its method it does, to the next line with code."""

    def lower(source: str) -> str:
        return source.replace("class Swapped {", "class Swapped {" + "\n" * 40, 1)

    def shorter(source: str) -> str:
        begin, end_of_it = source.index("int next("), source.index("static class Helper")
        return lower(source[:begin] + "int next(int value) {\n\n return value + step; }\n\n" + source[end_of_it:])

    async with debug(jvm, PROGRAM) as d:
        d.ignored.add("breakpoint-failed")
        note = await at_marker(d, "note")
        gone = await d.session.breakpoints.add(d.at("return"))
        done = await d.session.hotswap.redefine_all(compiled(lower))
        assert [each.number for each in done.lost] == [note.number, gone.number]
        now = d.session.breakpoints.get(gone.number)
        assert now.resolved == ()
        assert now.message.startswith(f"no code on line {d.program.line('return')}")
        line = d.program.line("next") + 40
        within = await d.session.breakpoints.add(f"Swapped:{line}")
        assert [place.line for place in within.resolved] == [line]
        done = await d.session.hotswap.redefine_all(compiled(shorter))
        assert done.lost == ()
        [place] = d.session.breakpoints.get(within.number).resolved
        assert (place.method, place.line) == ("next", line + 1)
        await end(d)


async def test_a_running_target(jvm: Jvm) -> None:
    """Nothing is held and nothing is stopped by it."""
    async with debug(jvm, "Ticker", suspend=False) as d:
        await d.target.wait_output("ready")
        done = await d.session.hotswap.redefine("Ticker", f"{d.program.classes}/Ticker.class")
        assert (done.classes[0].changes, done.obsolete) == ((), ())
        assert d.session.state is jdbpy.VmState.RUNNING


async def test_a_read_only_session_refuses(any_jvm: Jvm) -> None:
    options = jdbpy.Options(read_only=True)
    async with debug(any_jvm, PROGRAM, options=options) as d:
        with pytest.raises(StateError, match="redefining classes changes the target") as caught:
            await d.session.hotswap.redefine_all(PROGRAM.classes)
        assert caught.value.code == "READ_ONLY"


@pytest.mark.parametrize("length", [0, 3, 8, 40, 200, 400])
def test_a_damaged_class_file_is_told(length: int) -> None:
    data = Path(PROGRAM.classes, "Swapped.class").read_bytes()
    with pytest.raises(MalformedClassFile):
        parse(data[:length])


def test_the_plain_data_is_public() -> None:
    assert hotswap.Redefinition(()).classes == ()
