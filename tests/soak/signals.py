"""Signals at random moments, to a prompt on a terminal and to a batch: it ends as it should, and the target runs on."""

from __future__ import annotations

import random
import signal
import sys

import trio

from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.harness import LIMIT, within
from tests.soak.busy import busy
from tests.soak.leavings import collected_process
from tests.soak.trial import Run

RENEWED = 60
"""Tries after which a target is replaced by a new one."""

ENDING = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
SIGNALS = (*ENDING, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT)

STATUSES = {0, 1, 4, 5, *ENDING.values()}
"""The exit statuses of the contract, as far as they can come here."""

LINES = (
    "stop in Busy.work",
    "break thread Busy.work if count % 100 == 0",
    "cont",
    "step",
    "where all",
    "locals",
    "print Busy.yes()",
    "print Busy.nap(20)",
    "threads",
    'logpoint Busy.work "{count}" limit 20/s',
    "pause",
    "classes java.*",
    "clear Busy.work",
    "help stop",
)


async def run(run: Run) -> None:
    """Send signals for as long as there is time."""
    seeds = run.seeds()
    seed: int | None = next(seeds)
    while seed is not None:
        async with busy(run.jvm) as target:
            for _ in range(RENEWED):
                rng = run.random(seed)
                kind = rng.choice(["prompt", "batch"])
                failed = run.outcome.failed
                with run.attempt(seed, kind), within(3 * LIMIT):
                    address = await target.address()
                    await (_prompt(run, address, rng) if kind == "prompt" else _batch(address, rng))
                    await target.verify()
                seed = next(seeds, None)
                if seed is None or run.outcome.failed > failed:
                    break
    for kind, count in sorted(run.outcome.kinds.items()):
        run.figure(kind, count)


async def _prompt(run: Run, address: str, rng: random.Random) -> None:
    async with open_terminal(["attach", address], run.directory, columns=120) as terminal:
        await terminal.expect("Attached to")
        sent = []
        for _ in range(rng.randint(1, 6)):
            if terminal.process.poll() is not None:
                break
            if rng.random() < 0.6:
                terminal.type(rng.choice(LINES) + "\r")
            await _read_for(terminal, rng.uniform(0, 0.15))
            number = rng.choice(SIGNALS)
            sent.append(number)
            if number is signal.SIGWINCH:
                terminal.resize(rng.randint(20, 200), rng.randint(3, 60))
            elif number is signal.SIGTSTP:
                terminal.signal(signal.SIGTSTP)
                await _read_for(terminal, 0.02)
                terminal.signal(signal.SIGCONT)
            else:
                terminal.signal(number)
        if not set(sent) & {signal.SIGTERM, signal.SIGHUP} and terminal.process.poll() is None:
            terminal.signal(rng.choice([signal.SIGTERM, signal.SIGHUP]))
        status = await terminal.wait_exit()
        names = " ".join(each.name for each in sent)
        killed = {-each for each in sent[1:]} | {-signal.SIGTERM, -signal.SIGHUP}  # on its way out already
        assert status in STATUSES | killed, f"status {status} after {names}\n{terminal.screen.text[-500:]}"
        assert "Traceback" not in terminal.sent, f"after {names}: {terminal.screen.text[-800:]}"
        assert terminal.modes == terminal.modes_before, f"terminal modes after {names}: {terminal.modes}"


async def _read_for(terminal: PseudoTerminal, seconds: float) -> None:
    """Read what is shown for a while, as a terminal does."""
    with trio.move_on_after(seconds):
        await terminal.wait_until(lambda: terminal.process.poll() is not None, "the end of jdbpy")


async def _batch(address: str, rng: random.Random) -> None:
    words = [sys.executable, "-W", "error", "-m", "jdbpy", "attach", address, "--batch", "--json", "--keep-going"]
    words += ["--timeout", "1"]
    number = rng.choice(list(ENDING))
    async with collected_process(words) as (process, collected):
        assert process.stdin is not None
        lines = ["version", *(rng.choice(LINES) for _ in range(rng.randint(1, 6)))]
        await process.stdin.send_all("".join(f"{line}\n" for line in lines).encode())
        await collected.wait_for('"type":"result"', 1)
        await trio.sleep(rng.choice([0, rng.uniform(0, 0.02), rng.uniform(0, 0.5)]))
        process.send_signal(number)
        further = [rng.choice(list(ENDING))] if rng.random() < 0.3 else []
        for each in further:
            process.send_signal(each)
        with within(LIMIT):
            status = await process.wait()
            await collected.finished.wait()
    killed = {-each for each in further}  # on its way out already
    assert status in {*ENDING.values(), *killed}, (
        f"status {status} after {number.name}: {collected.err}{collected.out[-300:]}"
    )
    assert "Traceback" not in collected.err, collected.err
