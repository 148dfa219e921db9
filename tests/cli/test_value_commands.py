"""Commands about values as a user meets them, in plain text and in JSON."""

from __future__ import annotations

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

EVALUATED = program("Evaluated")
AT_HERE = (f"stop at {EVALUATED.at('here')}", "run")


async def test_what_has_changed_is_marked(jvm: Jvm) -> None:
    lines = (
        *AT_HERE,
        "display calls",
        "display/x local",
        "locals",
        "dump this",
        "set number = 43",
        "next",
        "dump this",
    )
    done = await jdbpy(*launching(EVALUATED, *script(*lines)), jvm=jvm)
    assert done.status == 0, done
    before, after = done.out.split("number = 43\n")
    assert "(changed)" not in before
    assert "1: calls = 1  (changed)\n2: local = 0x4\n" in after
    assert "  int number = 43  (changed)\n" in after
    assert "  static int calls = 1  (changed)\n" in after
    assert '  java.lang.String name = "né日本"\n' in after


async def test_displays_are_not_in_the_history(any_jvm: Jvm) -> None:
    lines = (*AT_HERE, "display local", "print number", "next", "print $1 + $_", "values")
    done = await jdbpy(*launching(EVALUATED, "--json", *script(*lines)), jvm=any_jvm)
    assert [each["name"] for each in done.results[-1]["data"]["values"]] == ["$1", "$2"]
    assert done.results[-2]["data"]["value"] == "84"


async def test_an_exception_of_a_called_method_has_its_stack(jvm: Jvm) -> None:
    lines = (*AT_HERE, 'print fails("because")', "print $exc.getMessage()", "print 1 / 0")
    done = await jdbpy(*launching(EVALUATED, "--json", "--keep-going", *script(*lines)), jvm=jvm)
    thrown, kept, divided = (found for found in done.results if found["command"].startswith("print"))
    exception = thrown["error"]["exception"]
    assert (exception["type"], exception["message"]) == ("java.lang.IllegalStateException", "because")
    assert exception["stack"][0] == f"Evaluated.deeper(Evaluated.java:{EVALUATED.line('thrown')})"
    assert exception["id"]
    assert kept["data"]["value"] == '"because"'
    assert divided["error"]["exception"] == {
        "type": "java.lang.ArithmeticException",
        "message": "/ by zero",
        "id": None,
        "stack": [],
    }
    plain = await jdbpy(*launching(EVALUATED, "--keep-going", *script(*lines)), jvm=jvm)
    said = plain.out + plain.err
    at = said.index("error: java.lang.IllegalStateException: because\n    at Evaluated.deeper(Evaluated.java:")
    assert "\n    at Evaluated.fails(Evaluated.java:" in said[at:]
    assert "$exc is the exception" in said[at:]
