"""Class files that lie, given to all that reads them, and classes of the target that are called as jdbpy's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from jdbpy.session.java.bytecode import MalformedCode, decode
from tests.cli.process import jdbpy as run_jdbpy, script
from tests.harness import Jvm, inline, program, start_target
from tests.hostile.class_files import mutated, read_by_all
from tests.weaving.programs import read_directory

pytestmark = pytest.mark.one_java

KEEPERS = """
class Keepers {
    public static void main(String[] args) throws Exception {
        System.out.println(Jdbpy__1_check.class);
        for (String name : new String[] {"Jdbpy__", "Jdbpy__1_original1", "Jdbpy__1_original2", "Jdbpy__1_original3"})
            Class.forName(name);
        System.out.println("waiting");
        while (System.in.available() == 0) Thread.sleep(1);
    }
}
class Jdbpy__ {}
class Jdbpy__1_check { static String HOST = "x"; }
class Jdbpy__1_original1 { static int other; }
class Jdbpy__1_original2 {
    static byte[] data = {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, 61, 0, 9, 7};
    static String host = "Keepers";
}
class Jdbpy__1_original3 { byte[] data = {1}; String host = "Keepers"; }
"""


async def test_classes_of_the_program_that_are_called_as_jdbpys_own_are_left_alone(jvm: Jvm) -> None:
    async with start_target(jvm, inline(KEEPERS), suspend=False) as target:
        await target.wait_output("waiting")
        done = await run_jdbpy("attach", target.address, *script("threads"))
        assert done.status == 0 and "Traceback" not in done.err, done
        for number in (1, 2, 3):
            assert f"Jdbpy__1_original{number}" in done.out + done.err
        assert "left alone" in done.out + done.err
        await target.send()
        assert await target.wait_exit() == 0


def test_mutated_class_files_are_read_or_refused() -> None:
    files = list(read_directory(Path(program("Woven").classes)).values())
    refused = 0
    for seed in range(500):
        original = files[seed % len(files)]
        refused += bool(read_by_all(original, mutated(original, seed)))
    assert refused > 0


@pytest.mark.parametrize("code", ["12", "b2", "b200", "aa", "aa00000000000000000000000000", "c4", "c484", "bb00", "c5"])
def test_an_instruction_that_is_cut_off_is_malformed(code: str) -> None:
    with pytest.raises(MalformedCode):
        list(decode(bytes.fromhex(code)))
