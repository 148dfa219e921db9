"""Large programs woven at every line, verified and run: they print and write what they do as they are.

Each try takes one program, which its seed decides. Every class of it is loaded and linked under ``-Xverify:all``, woven
and as it is; then the program does some work, both ways. Another try counts the hits of a condition in 10^9 passes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jdbpy.session.in_target.weave.log_helper import log_class
from jdbpy.session.in_target.weave.records import Emitted, WovenPlace
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.java.edit.assembler import Assembler
from jdbpy.session.java.edit.code_variable import CheckParameter
from tests.harness import Jvm, inline
from tests.harness.jvms import javac
from tests.harness.needs import TOMCAT_JARS
from tests.harness.programs import FIXTURES
from tests.soak.trial import Run
from tests.weaving.programs import RECORDER, WovenProgram, read_jar, record_all, surround_all, weave_all, write_jar

PASSES = 1_000_000_000
"""Passes of two threads together over a line with a condition."""

WARM_UP = 50_000_000

_COUNTED = """
    public class Passes implements Runnable {
        public static void main(String[] args) throws Exception {
            int passes = Integer.parseInt(args[0]), half = passes / 2;
            new Passes(0, Integer.parseInt(args[1])).run();
            Thread other = new Thread(new Passes(half, passes));
            long begun = System.nanoTime();
            other.start();
            new Passes(0, half).run();
            other.join();
            long took = System.nanoTime() - begun;
            System.out.println(passes * 1000L / took);
            if (args.length > 2) {
                System.out.println(Class.forName("Jdbpy__0").getDeclaredField("HITS").get(null));
            }
        }

        static volatile long kept;
        final int from, to;

        Passes(int from, int to) {
            this.from = from;
            this.to = to;
        }

        public void run() {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += pass(i, sum);
            }
            kept = sum;
        }

        static long pass(int i, long sum) {
            return (i ^ sum) * 31 >> 3;
        }
    }
"""

LIMIT = 600
"""Seconds for one run of a program on a busy machine."""

_VERIFIER = """
    import java.util.*;
    import java.util.jar.*;

    public class Verifier {
        public static void main(String[] args) throws Exception {
            try (JarFile jar = new JarFile(args[0])) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    String name = entry.getName();
                    if (name.matches("(?!META-INF/).*(?<!module-info)[.]class")) {
                        name = name.substring(0, name.length() - 6).replace('/', '.');
                        System.out.println(name + " " + linked(name));
                    }
                }
            }
            System.exit(0);
        }

        static String linked(String name) {
            try {
                Class.forName(name, false, Verifier.class.getClassLoader()).getDeclaredMethods();
                return "verified";
            } catch (NoClassDefFoundError | TypeNotPresentException e) {
                return "needs what is not there";
            } catch (Throwable e) {
                return e.toString().lines().findFirst().get();
            }
        }
    }
"""

_GROOVY = """
    class Order { List<Integer> items = [1, 2, 3]; int total() { items.collect { it * 2 }.sum() } }
    def words = ['a': 1, "b${1 + 1}": 2].collectEntries { key, value -> [key.toUpperCase(), value] }
    println "${new Order().total()} ${words} ${(1..5).findAll { it % 2 }} ${'x' * 3}"
"""


@dataclass(frozen=True)
class Subject:
    """A program: ``jar`` is woven, ``others`` stand behind it on the class path. ``arguments`` are those of ``main``,
    made for a directory that the program may write to."""

    name: str
    jar: Path
    main: str
    arguments: Callable[[Path], list[str]]
    others: tuple[Path, ...] = ()


def _ecj(out: Path) -> list[str]:
    sources = sorted(str(each) for each in FIXTURES.glob("*.java"))
    home = Path(javac()).resolve().parents[1]  # a runtime of jlink has no classes to compile against
    return ["-proc:none", "-17", "--system", str(home), "-g", "-nowarn", "-d", str(out), *sources]


def _groovy(out: Path) -> list[str]:
    script = out / "script.groovy"
    script.write_text(_GROOVY, encoding="utf-8")
    return [str(script)]


SUBJECTS = (
    Subject("ecj", TOMCAT_JARS / "eclipse-jdt-core.jar", "org.eclipse.jdt.internal.compiler.batch.Main", _ecj),
    Subject("groovy", TOMCAT_JARS / "groovy-all.jar", "groovy.ui.GroovyMain", _groovy),
)
"""Debian's packages libeclipse-jdt-core-java, which Tomcat brings, and groovy."""


WAYS = {"": weave_all, ", around methods": surround_all, ", recorded": record_all}
"""A call at every line; code around every method and each call in it; every line, store and call recorded."""


async def run(run: Run) -> None:
    """Weave, verify and run one program after the other."""
    kept: dict[str, WovenProgram] = {}
    kinds = [(subject, name, weaves) for name, weaves in WAYS.items() for subject in SUBJECTS]
    for seed in run.seeds():
        if seed % (len(kinds) + 1) == len(kinds):
            with run.attempt(seed, "passes"):
                run.figure(f"{PASSES:,} passes", count(run.jvm, run.directory / str(seed)))
            continue
        subject, way, weaves = kinds[seed % (len(kinds) + 1)]
        name = f"{subject.name}{way}"
        with run.attempt(seed, name):
            if name not in kept:
                kept[name] = weaves(read_jar(subject.jar))
                run.figure(name, _words(kept[name]))
            compare(run.jvm, subject, kept[name], run.directory / str(seed))


def _words(woven: WovenProgram) -> str:
    refused = ", ".join(f"{count:,} {reason}" for reason, count in woven.refused.items()) or "none"
    classes, methods = len(woven.classes), woven.methods
    return f"{classes:,} classes, {methods:,} methods, {woven.places:,} places woven, refused: {refused}"


def count(jvm: Jvm, directory: Path) -> str:
    """Count the passes of which a condition is true; raises AssertionError for one too many or too few."""

    def low_bits_are_set(code: Assembler) -> None:
        code.load_argument(0, "I")
        code.push_int(0xFFFF)
        code.op("iand")
        code.push_int(0xFFFF)
        code.op("isub")
        code.push_int(31)
        code.op("ishr")
        code.push_int(1)
        code.op("iadd")

    condition = Emitted("Z", (CheckParameter(0, "I", "i"),), (), False, low_bits_are_set)
    program = inline(_COUNTED)
    helper = log_class("Jdbpy__0", "Passes", condition, size=0)
    woven = weave((Path(program.classes) / "Passes.class").read_bytes(), [WovenPlace("pass", "(IJ)J", 0, helper.call)])
    directory.mkdir()
    (directory / "Passes.class").write_bytes(woven.data)
    (directory / "Jdbpy__0.class").write_bytes(helper.data)
    [before] = _output(jvm, [Path(program.classes)], [], program.main, str(PASSES), str(WARM_UP)).split()
    speed, hits = _output(jvm, [directory], ["-Xverify:all"], program.main, str(PASSES), str(WARM_UP), "woven").split()
    wanted = sum(passes // 0x10000 for passes in (PASSES, WARM_UP))
    assert int(hits) == wanted, f"{hits} hits, there should be {wanted}"
    return f"{wanted:,} hits, none lost; {speed} M a second, {before} without"


def compare(jvm: Jvm, subject: Subject, woven: WovenProgram, directory: Path) -> None:
    """Verify and run the program as it is and woven; raises AssertionError where they differ."""
    directory.mkdir()
    jar, sink = directory / "woven.jar", directory / "sink.jar"
    write_jar(jar, subject.jar, woven.classes)
    write_jar(sink, None, {f"{woven.sink_name}.class": woven.sink})
    options = ["-Xverify:all", f"-Xbootclasspath/a:{sink}"]
    before, after = _verified(jvm, subject, subject.jar, []), _verified(jvm, subject, jar, options)
    recorders = [each for each in after if RECORDER in each]
    after = [each for each in after if RECORDER not in each]
    assert all(each.endswith(" verified") for each in recorders), recorders[:5]
    different = [f"{one}, woven: {other}" for one, other in zip(before, after, strict=True) if one != other]
    assert not different, f"{len(different)} classes verify in another way: {different[:5]}"
    assert sum(each.endswith(" verified") for each in after) > len(after) / 2
    assert _worked(jvm, subject, subject.jar, directory / "as it is", []) == _worked(
        jvm, subject, jar, directory / "woven", options
    )
    shutil.rmtree(directory)


def _verified(jvm: Jvm, subject: Subject, jar: Path, options: list[str]) -> list[str]:
    """What came of each class."""
    lines = _output(jvm, [jar, *subject.others, Path(inline(_VERIFIER).classes)], options, "Verifier", str(jar))
    return sorted(lines.splitlines())


def _worked(jvm: Jvm, subject: Subject, jar: Path, out: Path, options: list[str]) -> tuple[str, dict[str, bytes]]:
    """What the program prints, and the files that it writes."""
    out.mkdir()
    printed = _output(jvm, [jar, *subject.others], options, subject.main, *subject.arguments(out))
    files = {str(each.relative_to(out)): each.read_bytes() for each in sorted(out.rglob("*")) if each.is_file()}
    return printed, files


def _output(jvm: Jvm, class_path: list[Path], options: list[str], main: str, *arguments: str) -> str:
    path = os.pathsep.join(map(str, class_path))
    done = subprocess.run(
        [jvm.java, *options, "-cp", path, main, *arguments],
        capture_output=True,
        timeout=LIMIT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{main} ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-1000:]}"
    return done.stdout
