"""Names inside inner classes: what Java does not see in a superclass never goes before what it means there."""

from __future__ import annotations

import pytest

from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

SOURCE = """
class Start {
    public static void main(String[] args) {
        Stamps stamps = new Stamps();
        System.out.println(stamps.instance(7) + stamps.alone(8) + Stamps.still(9) + stamps.local(10));
        System.out.println(stamps.lambda(11));
        for (int i = 0; i < 20; i++) stamps.instance(i);
        new Other().go(new Stamps.Press());
    }
}
class Stamps {
    int ink = 100; String word = "stamps";
    static int kept = 70;
    int fee(int of) { return 1000 + of; }

    static class Press {
        private int ink = 1; private String word = "press";
        private int fee(int of) { return of; }
        private int own() { return 5; }
        private int weigh(int of) { return 1; }
        int weigh(long of) { return 2; }
        String run() { return "none"; }
    }

    String instance(int ink) {
        String word = "captured";
        return new Press() {
            String run() {
                String text = word + ink + Stamps.this.ink + fee(1) + weigh(1);
                return text;  // @instance
            }
        }.run();
    }

    String alone(int ink) {
        return new Press() {
            String run() {
                String text = "" + ink;
                return text;  // @alone
            }
        }.run();
    }

    static String still(int ink) {
        return new Press() {
            String run() {
                String text = "" + ink + kept;
                return text;  // @still
            }
        }.run();
    }

    String local(int ink) {
        class Plain { String run() { String text = "" + ink; return text; } }
        class Own extends Plain { int ink = 50; String mine() {
            String text = "" + ink;
            return text;  // @own
        } }
        return new Own().mine() + new Plain().run();
    }

    String lambda(int ink) {
        java.util.function.Supplier<String> made = () -> new Press() {
            String run() {
                String text = "" + ink;
                return text;  // @lambda
            }
        }.run();
        return made.get();
    }
}

class Other {
    void go(Stamps.Press press) {
        int one = press.weigh(1);
        System.out.println(one);  // @other
    }
}
"""

MEANT = {
    "instance": {
        "ink": "7",
        "word": '"captured"',
        "Stamps.this.ink": "100",
        "fee(1)": "1001",
        "weigh(1)": "2",
        "own()": "5",
        "text": '"captured710010012"',
    },
    "alone": {"ink": "8", "text": '"8"'},
    "still": {"ink": "9", "kept": "70", "own()": "5", "text": '"970"'},
    "own": {"ink": "50", "text": '"50"'},
    "lambda": {"ink": "11", "text": '"11"'},
    "other": {"press.weigh(1)": "2", "one": "2", "press.own()": "5", "press.ink": "1"},
}


async def test_names_mean_what_javac_takes(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        for place, meant in MEANT.items():
            await d.run_to(place, class_name="Other" if place == "other" else "Stamps")
            found = {each: (await d.session.values.evaluate(each)).text for each in meant}
            assert found == meant, place


@pytest.mark.parametrize("woven", [False, True])
async def test_a_condition_reads_the_captured_variable(jvm: Jvm, woven: bool) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.session.breakpoints.add(d.at("instance", "Stamps"), condition="ink == 17", woven=woven)
        await d.resume()
        await d.wait_stop("breakpoint", at="instance")
        assert (await d.session.values.evaluate("text")).text == '"captured1710010012"'
