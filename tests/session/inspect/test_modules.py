"""Modules on real JVMs: listed, one with all it shares, additions by options, changes made now."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.model.modules import PackageAccess
from tests.harness import Jvm, debug


def to(accesses: Sequence[PackageAccess]) -> dict[str, tuple[str, ...]]:
    return {each.package: each.to for each in accesses}


async def test_list(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0", suspend=False) as d:
        await d.target.wait_output("ready\n")
        found = await d.session.modules.list()
        named = {each.name: each for each in found if each.name}
        assert named["java.base"].loader == "bootstrap"
        assert named["java.base"].version.split(".")[0].split("-")[0] == str(jvm.feature)
        assert list(named) == sorted(named)
        assert {each.loader for each in found if each.kind == "unnamed"} >= {"app", "bootstrap"}
        assert {each.name for each in await d.session.modules.list("java.b*")} == {"java.base"}
        assert "java.logging" in d.session.modules.known_names()


async def test_one_module(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0", suspend=False) as d:
        await d.target.wait_output("ready\n")
        modules = d.session.modules
        logging = await modules.detail("java.logging")
        assert logging.requires == ("java.base",)
        assert logging.reads == ("java.base",)
        assert to(logging.exports) == {"java.util.logging": ()}
        assert {"java.util.logging", "sun.util.logging.internal"} <= set(logging.packages)
        assert [each.package for each in logging.provides] == ["jdk.internal.logger.DefaultLoggerFinder"]
        base = await modules.detail("java.lang.String")
        assert base.info.name == "java.base"
        assert to(base.exports)["java.lang"] == ()
        assert "java.logging" in to(base.exports)["jdk.internal.misc"]
        mine = await modules.detail("Crowd")
        assert (mine.info.name, mine.info.kind, mine.info.loader) == ("", "unnamed", "app")
        assert (await modules.detail(str(mine.info.id))).info == mine.info
        with pytest.raises(UsageError, match="no module and no loaded class") as error:
            await modules.detail("java.loging")
        assert "java.logging" in error.value.hint


async def test_what_options_add(jvm: Jvm) -> None:
    added = ["--add-opens=java.base/java.util=ALL-UNNAMED", "--add-exports=java.base/sun.nio.cs=java.logging"]
    async with debug(jvm, "Crowd", "0", jvm_options=[*added, "--add-reads=java.logging=ALL-UNNAMED"]) as d:
        await d.run_to("ready")
        base = await d.session.modules.detail("java.base")
        assert to(base.opens) == {"java.util": ("ALL-UNNAMED",)}
        assert "java.logging" in to(base.exports)["sun.nio.cs"]
        assert "ALL-UNNAMED" in (await d.session.modules.detail("java.logging")).reads


async def test_changes(jvm: Jvm) -> None:
    async with debug(jvm, "Crowd", "0") as d:
        await d.run_to("ready")
        modules = d.session.modules
        await modules.add_reads("java.logging", "java.management")
        await modules.add_access("java.base", "sun.nio.cs", "java.logging", opened=True)
        await modules.add_access("java.base", "sun.nio.ch", None, opened=True)
        await modules.add_access("java.base", "sun.nio.fs", None, opened=False)
        await modules.add_uses("java.logging", "java.lang.Runnable")
        await modules.add_provides("java.logging", "java.lang.Runnable", "java.lang.Thread")
        base = await modules.detail("java.base")
        assert to(base.opens) == {"sun.nio.cs": ("java.logging",), "sun.nio.ch": ("ALL-UNNAMED",)}
        assert to(base.exports)["sun.nio.fs"] == ()
        logging = await modules.detail("java.logging")
        assert logging.reads == ("java.base", "java.management")
        assert logging.uses == ("java.lang.Runnable",)
        with pytest.raises(UsageError, match=r"no\.such"):
            await modules.add_access("java.base", "no.such", None, opened=False)
        with pytest.raises(UsageError, match=r"no class no\.Such"):
            await modules.add_uses("java.logging", "no.Such")
        await d.resume()
        await modules.add_reads("java.logging", "java.xml")
        assert (await modules.detail("java.logging")).reads == ("java.base", "java.management", "java.xml")
