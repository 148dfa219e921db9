"""The screen where there is more than one live JVM behind it: a pane of a plug-in, a joined session, a snapshot."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.cli.full_screen.screens import F5, full_screen, launched
from tests.harness import Jvm, program

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
            await offline.sees("snapshot", "number = 1")
            offline.press("2\r")
            await offline.sees("▾ this", "▸ cups")
            offline.press(":up\r")
            await offline.stands_at("panes.turn(turn);")
