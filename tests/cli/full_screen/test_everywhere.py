"""The screen over more than one live JVM: a plug-in's pane, a joined session, a snapshot, a recording, several JVMs."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.cli.full_screen.screens import DOWN, F5, F8, UP, full_screen, launched
from tests.cli.process import jdbpy
from tests.harness import Jvm, program, start_target

PANES = program("Panes")

PLUGIN = """
import jdbpy

@jdbpy.pane("sizes")
def sizes(vm, frame=None):
    return [{"where": frame.method if frame else "", "classes": "some"}]
"""


async def test_plugins_joined_sessions_and_snapshots(any_jvm: Jvm, tmp_path: Path) -> None:
    plugin, kept = tmp_path / "sizes.py", tmp_path / "kept.snapshot"
    plugin.write_text(PLUGIN)
    plugin.chmod(0o600)
    with tempfile.TemporaryDirectory() as sockets:
        environ = {"XDG_RUNTIME_DIR": sockets}
        words = launched(PANES, any_jvm)
        words[1:1] = ["-p", str(plugin)]
        async with full_screen(words, tmp_path, lines=40, environ=environ) as host:
            await host.sees("Ready to start")
            await host.command("stop in Panes.turn")
            host.press(F5)
            await host.stands_at("int before = total;")
            await host.sees("8 Sizes", lambda: "turn" in host.pane(8)[:200], what="what the plug-in shows")
            await host.command("serve panes")
            async with full_screen(["join", "panes"], tmp_path, environ=environ) as joined:
                await joined.stands_at("int before = total;")
                await joined.sees("●▶", "Stack of main", "worker-1")
                joined.press("2\r")
                await joined.sees("▾ this", "▸ cups")
                joined.press("n")
                await joined.stands_at("for (Cup cup : cups)")
                await host.stands_at("for (Cup cup : cups)")
                await joined.sees("before = 0")
                joined.press(":screen off\r")
                await joined.sees(lambda: "\x1b[?1049l" in joined.terminal.sent, what="the plain prompt")
                joined.press("screen\r")
                await joined.sees(lambda: joined.terminal.sent.count("\x1b[?1049h") == 2, what="the screen again")
                await joined.stands_at("for (Cup cup : cups)")
                joined.press("q")
                await joined.sees("leave the debugger?")
                joined.press("y\r")
                assert await joined.terminal.wait_exit() == 0
                assert joined.terminal.modes == joined.terminal.modes_before
            await host.sees("number = 1")
            await host.command(f"snapshot {kept}")
            await host.sees(kept.exists, what="the snapshot")
            host.press(":quit\r")  # ends the program
            await host.terminal.wait_exit()
        async with full_screen(["open", str(kept)], tmp_path) as offline:
            await offline.stands_at("int before = total;")  # it has come round since the other one left
            await offline.sees("snapshot", "number = 1", "u caller d called")
            assert "F8" not in offline.text  # nothing can go on in a file
            offline.press("2\r")
            await offline.sees("▾ this", "▸ cups")
            offline.press(":up\r")
            await offline.stands_at("panes.turn(turn);")


async def test_a_recording_is_shown_as_the_session_was(any_jvm: Jvm, tmp_path: Path) -> None:
    """Of what the screen has not asked for when it was recorded, a pane says that it is not there."""
    kept, bare = tmp_path / "kept.jdbpy", tmp_path / "bare.jdbpy"
    words = launched(PANES, any_jvm)
    async with full_screen([words[0], "--record", str(kept), *words[1:]], tmp_path) as live:
        await live.sees("Ready to start")
        await live.command("stop in Panes.turn")
        live.press(F5)
        await live.stands_at("int before = total;")
        await live.sees("2 Panes.main", "worker-1", "number = 0")
        live.press(F8)
        await live.stands_at("for (Cup cup : cups)")
        await live.sees("before = 0", "2 Panes.main")
        live.press(":quit\r")
        await live.terminal.wait_exit()
    batch = ["--batch", "-c", "stop in Panes.turn", "-c", "run", "-c", "next"]
    assert (await jdbpy(words[0], "--record", str(bare), *batch, *words[1:], jvm=any_jvm)).status == 0
    asked = ("1 Panes.turn", "2 Panes.main", "worker-1", "number = 0")
    for path, shown in (
        (kept, asked),
        (bare, ("1 Panes.turn", "│that is not in", "… that is not in", "state not known")),
    ):
        async with full_screen(["replay", "--sourcepath", PANES.sources, str(path)], tmp_path) as played:
            await played.sees("Ready to start")
            await played.command("stop in Panes.turn")
            played.press(F5)
            await played.stands_at("int before = total;")
            await played.sees(*shown)
            played.press(F8)
            await played.stands_at("for (Cup cup : cups)")
            await played.sees(*shown)
            played.press(":quit\r")
            assert await played.terminal.wait_exit() == 0


async def test_several_jvms_have_a_pane(any_jvm: Jvm, tmp_path: Path) -> None:
    """Enter makes the one at the cursor the current one; the other panes and the keys are about that."""
    async with start_target(any_jvm, PANES) as one, start_target(any_jvm, PANES) as other:
        words = ["attach", f"a={one.address}", f"b={other.address}", "--sourcepath", PANES.sources]
        async with full_screen(words, tmp_path) as screen:
            await screen.sees("▶a stopped", " b stopped")
            await screen.command("each stop in Panes.turn")
            await screen.command("each run")
            await screen.sees("a stopped Panes.turn:", "b stopped Panes.turn:")  # the first that stops is selected
            await screen.command("session a")
            await screen.sees("▶a stopped Panes.turn:")
            screen.press("6\x1b[H" + DOWN + "\r")
            await screen.sees("▶b stopped", " a stopped")
            screen.press(F8)
            await screen.stands_at("for (Cup cup : cups)")
            await screen.sees("before = 0", "[b] Step completed")
            screen.press(UP + "\r")
            await screen.sees("▶a stopped", "│ ▸ this")  # not marked: another JVM is no change
            await screen.stands_at("int before = total;")
            other.kill()
            await screen.sees(" b disconnected")
            await screen.stands_at("int before = total;")
            screen.press(":quit\r")
            assert await screen.terminal.wait_exit() == 0
        assert one.process.poll() is None  # it runs on
