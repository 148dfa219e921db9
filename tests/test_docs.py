"""What README and docs show works: their scripts and commands are run, their links lead somewhere.

Blocks marked ``python`` and ``sh`` are run from the root of the repository; ``text`` is for what no test can run (other
machines, a person at a prompt). Where a block says 5005, a JVM with the demo's program listens, held at its start.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from docs.tools import man_page, speed_picture
from docs.tools.pictures import SHOWN
from docs.tools.site import OUTSIDE, on_page_markdown, text as page_text
from jdbpy.demo.program import CLASSES, JAVA_SOURCE, MAIN_CLASS
from jdbpy.session.java.releases import READER, ROWS, UNSAFE
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import LIMIT, Jvm, Program, start_target, within
from tests.harness.pages import PAGES, ROOT, Block, blocks


def files() -> dict[str, str]:
    """The ``python`` blocks that are files: their first line is a comment with the name, ``# coffee.py``."""
    named = ((re.match(r"# (\w+\.py)\n", block.text), block.text) for block in blocks("python"))
    return {found[1]: text for found, text in named if found is not None}


def scripts() -> list[Block]:
    """The ``python`` blocks that are run by themselves."""
    return [block for block in blocks("python") if block.text not in files().values()]


def commands() -> list[Block]:
    """The lines of the ``sh`` blocks, each as a block of its own."""
    return [Block(block.place, "sh", line) for block in blocks("sh") for line in block.text.splitlines()]


@asynccontextmanager
async def target_for(text: str, jvm: Jvm) -> AsyncIterator[str]:
    """Gives ``text`` with the port of a target in place of 5005; without a target when it does not say 5005."""
    program = Program(main=MAIN_CLASS, classes=str(CLASSES), sources=str(JAVA_SOURCE), markers={})
    async with AsyncExitStack() as stack:
        if "5005" in text:
            target = await stack.enter_async_context(start_target(jvm, program))
            text = text.replace("5005", str(target.port))
        yield text


async def run(command: list[str], jvm: Jvm, where: Path = ROOT) -> str:
    """Run a command in a directory, with nothing to read; it must succeed. Return its output."""
    environ = {**os.environ, "JAVA_HOME": jvm.home, "PYTHONPATH": str(ROOT)}
    with within(2 * LIMIT):
        done = await trio.run_process(
            command,
            cwd=where,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    assert done.returncode == 0, f"{command}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout.decode()


@pytest.mark.parametrize("block", scripts(), ids=lambda block: block.place)
async def test_python_blocks_run(block: Block, any_jvm: Jvm) -> None:
    async with target_for(block.text, any_jvm) as code:
        assert await run([sys.executable, "-W", "error", "-c", code], any_jvm)


def write_blocks(directory: Path) -> None:
    """Each ``python`` block as a file; its first line says where it stands."""
    for number, block in enumerate(blocks("python")):
        (directory / f"block_{number}.py").write_text(f"# {block.place}\n{block.text}", encoding="utf-8")


def test_python_blocks_are_typed(tmp_path: Path) -> None:
    """By the strict rules of mypy, as examples/ is."""
    write_blocks(tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_scripts_of_users_are_clean_for_pyright(tmp_path: Path) -> None:
    """By its strict rules, under which a type that it cannot find is an error too: examples/ and the python blocks, for
    which it looks into the package as an editor of a user does."""
    write_blocks(tmp_path)
    (tmp_path / "wrong.py").write_text(
        "import jdbpy.sync as jdbpy\n\njdbpy.attach('5005').stop_at(7).nothing\n", encoding="utf-8"
    )
    rules = {
        "include": [str(ROOT / "examples"), str(tmp_path)],
        "extraPaths": [str(ROOT)],
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
    }
    project = tmp_path / "pyrightconfig.json"
    project.write_text(json.dumps(rules), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1, f"{done.stdout}\n{done.stderr}"
    found = json.loads(done.stdout)
    at_fault = {"reportArgumentType", "reportAttributeAccessIssue"}
    faults = [(Path(each["file"]).name, each.get("rule"), each["message"]) for each in found["generalDiagnostics"]]
    assert [each for each in faults if each[0] != "wrong.py"] == []
    assert at_fault <= {rule for _, rule, _ in faults}, "it knows the types of jdbpy"
    assert found["summary"]["filesAnalyzed"] == len(list(ROOT.glob("examples/*.py"))) + len(blocks("python")) + 1


@pytest.mark.parametrize("block", commands(), ids=lambda block: f"{block.place}-{block.text}")
async def test_commands_run(block: Block, any_jvm: Jvm, tmp_path: Path) -> None:
    assert block.text.startswith("jdbpy "), f"{block.place}: only jdbpy is run; mark the block as text"
    (tmp_path / "jdbpy").symlink_to(ROOT / "jdbpy")  # the demo's classes are named from the root of the repository
    for name, text in files().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o600)
    async with target_for(block.text, any_jvm) as line:
        await run(["sh", "-c", f'jdbpy() {{ "{sys.executable}" -m jdbpy "$@"; }}; {line}'], any_jvm, tmp_path)


@pytest.mark.parametrize("columns", [60, 200])
async def test_getting_started_taken_literally(columns: int, any_jvm: Jvm, tmp_path: Path) -> None:
    """Every line of the page, in its order, at a terminal: none of them fails, and no sentence is cut within a word."""
    text = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    [launch, *_] = re.findall(r"^jdbpy (launch .*)$", text, re.MULTILINE)
    typed = re.findall(r"^main\[1\] (.+?)(?: {2,}.*)?$", text, re.MULTILINE)
    assert {"run", "up", "set sum = 1000", "return 100", "reenter"} <= set(typed)
    environ = {"JAVA_HOME": any_jvm.home}
    async with open_terminal(launch.split(), tmp_path, columns=columns, where=ROOT, environ=environ) as terminal:

        def asked() -> bool:
            return bool(re.match(r"main\[\d\]$|.*\[y/N\]$", terminal.screen.cursor_line))

        await terminal.wait_until(asked, "the prompt")
        for line in typed:
            terminal.type(f"{line}\r")
            await terminal.expect(f"] {line}")
            await terminal.wait_until(asked, f"an answer to {line!r}")
            if terminal.screen.cursor_line.endswith("[y/N]"):
                terminal.type("y\r")
                await terminal.expect("[y/N] y")
                await terminal.wait_until(lambda: terminal.screen.cursor_line.startswith("main["), "the prompt")
        shown = terminal.screen.text
        assert "error" not in shown
        assert re.search(r"^coffee\.Till\.total\s+will\s+return\s+100\b", shown, re.MULTILINE), shown
        words = " ".join(shown.split())  # as it is read: what a narrow window breaks between words
        assert "is pending: class coffee.Till is not loaded yet; a hit suspends all threads" in words
        assert "'next' steps, 'cont' goes on, 'help' lists all" in words
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0


def agent_options() -> list[str]:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    return sorted(set(re.findall(r"-agentlib:jdwp=[\w=,.*:]+", text)))


@pytest.mark.parametrize(
    "option", [option for option in agent_options() if "server=y" in option and "launch=" not in option]
)
async def test_the_lines_to_add_to_a_java_command_are_right(option: str, any_jvm: Jvm) -> None:
    option = option.replace("5005", "0").replace("suspend=y", "suspend=n").replace("*:", "127.0.0.1:")
    assert "Listening for transport dt_socket" in await run([any_jvm.java, option, "-version"], any_jvm)


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "examples" / "README.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    missing = []
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        file = page.parent / target if target else page
        if "://" not in target and not file.exists():
            missing.append(target)
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            missing.append(f"{target}#{anchor}")
    assert not missing


def test_every_page_is_reached_from_the_list_of_all_pages() -> None:
    """Which the first page, and README, lead to."""
    first, listed = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("index.md", "contents.md"))
    reached = {page.name for page in PAGES if page.parent != ROOT and f"({page.name})" in listed}
    assert {page.name for page in PAGES if page.parent != ROOT} - reached == {"index.md", "contents.md"}
    assert "(contents.md)" in first
    assert "(docs/contents.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_site() -> None:
    """`./dev docs` builds it; that every page has a place there is seen without it."""
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r"^ +- (?:\w+: )?([\w-]+\.md)$", site, re.MULTILINE)
    assert sorted(named) == sorted([*(page.name for page in (ROOT / "docs").glob("*.md")), *OUTSIDE.values()])


def test_pages_in_the_site_have_links_to_pages_only() -> None:
    """A link to a file that the site does not have is its text there; the title comes first; code is left alone."""
    page = """<!-- Made by a program. -->
# JSON Lines

[one](../tests/a_test.py), [two](remote.md#ssh), [three](../SECURITY.md#kept), [four](../examples/README.md)

```text
[one](../tests/a_test.py)
```
"""
    shown = """# JSON Lines

<abbr title="tests/a_test.py">one</abbr>, [two](remote.md#ssh), [three](security.md#kept), [four](examples.md)

```text
[one](../tests/a_test.py)
```
"""
    assert on_page_markdown(page) == shown


def test_pages_from_outside_docs_have_links_of_the_site() -> None:
    links = r"\]\((?!https:)([^)#]+)"
    for name, page in OUTSIDE.items():
        shown = on_page_markdown(page_text(name), SimpleNamespace(file=SimpleNamespace(src_uri=page)))
        for target in re.findall(links, shown):
            assert target in OUTSIDE.values() or (ROOT / "docs" / target).exists(), f"{name}: {target}"
        assert re.findall(links, page_text(name)), name


def test_pictures_are_there_and_small() -> None:
    """And fetch nothing; what is on them is the business of who takes them."""
    for picture in SHOWN:
        text = (ROOT / "docs" / "pictures" / f"{picture.name}.svg").read_text(encoding="utf-8")
        assert text.startswith("<svg"), picture.name
        assert len(text) < 60_000, picture.name
        assert not re.search(r"@import|@font-face|<script|href|url\((?!#)", text), picture.name
        assert any(f"pictures/{picture.name}.svg)" in page.read_text(encoding="utf-8") for page in PAGES), picture.name


def cited(text: str, of: str = "agent") -> list[tuple[str, str]]:
    """Return the facts and sections of a page that a text names, as ("section ", "Invoking methods")."""
    text = re.sub(r"\s*\n\s*(?:# )?", " ", text)
    runs = re.findall(rf'docs/{of}\.md,((?: (?:section )?"[^"]+",?)+)', text)
    return [pair for run in runs for pair in re.findall(r'(section )?"([^"]+)"', run)]


def test_the_page_on_the_jdk_has_the_names_of_the_code() -> None:
    page = (ROOT / "docs" / "jdk.md").read_text(encoding="utf-8")
    rows = [f"| {row.what} | {'; '.join(f'{since}: `{name}`' for since, name in row.names)} |" for row in ROWS]
    assert [line for line in page.splitlines() if line.startswith("| ") and "`" in line] == rows


def test_a_name_of_the_jdk_goes_by_the_release() -> None:
    assert [UNSAFE.on(release) for release in (8, 9, 25)] == [
        "sun.misc.Unsafe", "jdk.internal.misc.Unsafe", "jdk.internal.misc.Unsafe",
    ]  # fmt: skip
    assert [READER.on(release).rpartition(".")[2] for release in (7, 8, 10, 11)] == ["readFully"] * 3 + ["readNBytes"]


@pytest.mark.parametrize(("of", "least"), [("agent", 20), ("jdk", 3)])
def test_comments_name_facts_that_the_page_has(of: str, least: int) -> None:
    page = (ROOT / "docs" / f"{of}.md").read_text(encoding="utf-8")
    facts = {("", name) for name in re.findall(r"^\* \*\*(.+)\.\*\*", page, re.MULTILINE)}
    sections = {("section ", name) for name in re.findall(r"^## (.+)$", page, re.MULTILINE)}
    named = {
        (str(path.relative_to(ROOT)), *fact)
        for folder in ("jdbpy", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "test_docs.py"
        for fact in cited(path.read_text(encoding="utf-8"), of)
    }
    assert len(named) > least
    assert {name for name in named if name[1:] not in facts | sections} == set()


def test_the_figures_of_performance_are_those_of_the_measurements() -> None:
    shown = speed_picture.works()
    assert speed_picture.page(shown) == speed_picture.PAGE.read_text(encoding="utf-8"), "./dev generate speed"
    assert speed_picture.svg(shown) == speed_picture.PICTURE.read_text(encoding="utf-8"), "./dev generate speed"


def test_the_man_page_is_up_to_date() -> None:
    assert man_page.PAGE.read_text(encoding="utf-8") == man_page.page(), "./dev generate man"
