"""Pictures and forms of profiles: what is in the files."""

from __future__ import annotations

import gzip
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

from jdbpy.drawing.charts import bars, histogram, sparkline
from jdbpy.drawing.exports import collapsed, from_collapsed, pprof, speedscope
from jdbpy.drawing.flame import changes, flame_graph
from jdbpy.drawing.html import html_page
from jdbpy.drawing.page import shortened
from jdbpy.drawing.stacks import HotMethod, WeightedStacks, merged
from jdbpy.drawing.units import BYTES, NANOS, in_words

SVG = "{http://www.w3.org/2000/svg}"

PROFILE = WeightedStacks(
    {
        ("Main.main", "Order.total"): 30,
        ("Main.main", "Order.total", "Price.of"): 50,
        ("Main.main", "Order.total", "Price.of", "Order.total"): 5,
        ("java.lang.Thread.run",): 15,
    },
    title="orders",
)

EVIL = WeightedStacks({('a.<init>&"\x1b[0m\u202e', "x</script>]]>\x00\ud800;y"): 1}, title="<b>&")


def frames(svg: str) -> dict[str, tuple[float, float]]:
    """The left edge and the width of each frame that is drawn, by name."""
    found = {}
    for each in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        found[each.get("data-n", "")] = (float(each.get("data-x", "")), float(each.get("data-w", "")))
    return found


def test_stacks_folded() -> None:
    assert PROFILE.total == 100
    assert PROFILE.methods() == [
        HotMethod("Price.of", 50, 55),
        HotMethod("Order.total", 35, 85),
        HotMethod("java.lang.Thread.run", 15, 15),
        HotMethod("Main.main", 0, 85),
    ]
    assert [(depth, each.name, each.total, each.own) for depth, each in PROFILE.tree().walk()] == [
        (0, "Main.main", 85, 0),
        (1, "Order.total", 85, 30),
        (2, "Price.of", 55, 50),
        (3, "Order.total", 5, 5),
        (0, "java.lang.Thread.run", 15, 15),
    ]
    assert PROFILE.matching("Price").total == 55
    assert PROFILE.matching("java.lang.*").total == 15
    assert PROFILE.hot_paths() == [(("Main.main", "Order.total", "Price.of"), 55), (("java.lang.Thread.run",), 15)]
    assert merged([PROFILE, PROFILE]).weights[("java.lang.Thread.run",)] == 30


def test_a_flame_graph_is_as_wide_as_the_weights() -> None:
    found = frames(flame_graph(PROFILE))
    assert list(found["Main.main"]) == [0, 1020]
    assert list(found["Price.of"]) == [0, 660]
    assert list(found["java.lang.Thread.run"]) == [1020, 180]
    deep = WeightedStacks({tuple(map(str, range(3000))): 1})
    assert 300 < len(frames(flame_graph(deep))) < 500


def test_names_of_the_target_do_nothing_in_a_picture() -> None:
    for svg in (flame_graph(EVIL), flame_graph(EVIL, before=PROFILE), bars([("<x>&\x00", 1)], BYTES, "<t>")):
        ElementTree.fromstring(svg)
        assert svg.count("</script>") <= 1
        assert "\x1b" not in svg
    assert html_page(EVIL).count("</script>") == 1
    assert "http" not in flame_graph(PROFILE).replace("http://www.w3.org/", "")


def test_a_difference() -> None:
    later = WeightedStacks({("Main.main", "Order.total"): 80, ("Main.main", "New.one"): 20})
    [first, *_] = changes(later, PROFILE)
    assert first == ("Price.of", 0.5, 0.0)
    svg = flame_graph(later, before=PROFILE)
    assert "New.one: 20.0%, 20 samples; own 20.0%; +20.0 points" in svg
    assert list(frames(svg)["New.one"]) == [0, 240]


def test_collapsed_stacks_there_and_back() -> None:
    text = collapsed(PROFILE)
    assert "Main.main;Order.total;Price.of 50\n" in text
    assert from_collapsed(text).weights == PROFILE.weights


def test_speedscope() -> None:
    found = json.loads(speedscope(PROFILE))
    [profile] = found["profiles"]
    names = [each["name"] for each in found["shared"]["frames"]]
    samples = zip(profile["samples"], profile["weights"], strict=True)
    stacks = {tuple(names[at] for at in sample): weight for sample, weight in samples}
    assert stacks == PROFILE.weights
    assert profile["endValue"] == 100
    json.loads(speedscope(EVIL))


def parts(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protocol buffer."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = number()
        value = number()
        if key & 7 == 2:
            yield key >> 3, message[at : at + value]
            at += value
        else:
            assert key & 7 == 0
            yield key >> 3, value


def test_pprof() -> None:
    found = list(parts(gzip.decompress(pprof(WeightedStacks(PROFILE.weights, NANOS)))))
    strings = [part.decode() for field, part in found if field == 6 and isinstance(part, bytes)]
    names = {}
    for field, part in found:
        if field == 5 and isinstance(part, bytes):
            function = dict(parts(part))
            names[function[1]] = strings[int(function[2])]
    stacks = {}
    for field, part in found:
        if field == 2 and isinstance(part, bytes):
            sample = dict[int, Any](parts(part))
            [weight] = [value for _, value in parts(b"\x08" + bytes(sample[2]))]
            places = bytes(sample[1])
            stacks[tuple(names[each] for each in reversed(places))] = weight
    assert stacks == PROFILE.weights
    assert strings[0] == ""


def test_bars_and_a_histogram() -> None:
    svg = bars([("com.acme.Order", 3 << 20), ("byte[]", 1 << 20)], BYTES, "heap")
    assert "3.00 MB" in svg
    svg = histogram([(0, 1000, 3), (1000, 2000, 0), (2000, 4000, 12)], NANOS, "times of total")
    assert "2.00 µs to 4.00 µs: 12" in svg
    ElementTree.fromstring(svg)


def test_words() -> None:
    assert sparkline([0, 1, 4, 8]) == " ▂▅█"
    assert sparkline([1] * 100, 10) == "█" * 10
    assert in_words(1, "samples") == "1 sample"
    assert in_words(1234567, NANOS) == "1.23 ms"
    assert shortened("com.acme.shop.Order.total", 12) == "Order.total"
    assert shortened("com.acme.shop.Order.total", 8) == "Order.t…"
    assert shortened("com.acme.shop.Order.total", 2) == ""
