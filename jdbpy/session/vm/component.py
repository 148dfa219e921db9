"""The component ``session.vm``: the target VM as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import StateError, UsageError
from jdbpy.session.eval.own_calls import CallRunner
from jdbpy.session.target import Target
from jdbpy.session.types.patterns import like
from jdbpy.session.vm import capabilities, facts, properties
from jdbpy.session.vm.model import Capability, Clocks, Property, SearchPaths, VmFacts, VmFlag


class Vm:
    """The VM of one target. What runs a method needs a thread that an event has stopped: StateError without one."""

    def __init__(self, target: Target, runner: CallRunner) -> None:
        self._target = target
        self._runner = runner
        self._names: tuple[str, ...] = ()
        self._flags: tuple[str, ...] = ()

    async def properties(self, pattern: str = "") -> list[Property]:
        """System properties by name, all or those that a pattern fits (``patterns``). Runs nothing. wire: 7 trips."""
        self._target.require_alive()
        found = await properties.read_properties(self._target)
        self._names = tuple(each.name for each in found)
        return [each for each in found if like(pattern, each.name)]

    async def set_property(self, name: str, value: str | None) -> str | None:
        """Sets a system property, or removes it (None); returns what it was. wire: one call."""
        if not name:
            raise UsageError("a property needs a name")
        return await properties.set_property(self._runner, name, value)

    async def paths(self) -> SearchPaths:
        """The class path, the module path, and where they start. Runs nothing. wire: 8 trips."""
        self._target.require_alive()
        return await properties.read_paths(self._target)

    async def append_to_class_path(self, path: str) -> None:
        """Adds a jar or directory of the target's machine to its class path. wire: two calls."""
        await properties.append_to_class_path(self._runner, path)

    def capabilities(self) -> list[Capability]:
        """What the agent can do, in words. No trip."""
        return capabilities.in_words(dict(self._target.info.capabilities))

    async def facts(self) -> VmFacts:
        """What the target is; what takes a method that cannot be run is left out. wire: 7 trips, 4 again."""
        self._target.require_alive()
        return await facts.read_facts(self._target, self._by_name, self._runner)

    async def _by_name(self) -> dict[str, str]:
        """The properties, none if this JVM keeps them in a way that is not known."""
        try:
            return {each.name: each.value for each in await self.properties()}
        except StateError:
            return {}

    async def clocks(self) -> Clocks:
        """The clocks of the target. wire: 6 trips over a link, 2 again."""
        return await facts.read_clocks(self._runner)

    async def flags(self, pattern: str = "") -> list[VmFlag]:
        """HotSpot's flags by name: all, or those that a pattern fits. wire: 9 trips, 6 again."""
        from jdbpy.session.vm.flags import read_flags

        found = await read_flags(self._target, self._runner)
        self._flags = tuple(each.name for each in found)
        return [each for each in found if like(pattern, each.name)]

    async def set_flag(self, name: str, value: str) -> None:
        """Sets a flag of the running VM. Raises UsageError for one that cannot be set. wire: 6 trips, 3 again."""
        from jdbpy.session.vm.flags import set_flag

        await set_flag(self._runner, name, value)

    async def diagnostic_command(self, line: str) -> str:
        """Runs a command of ``jcmd`` in the target and returns what it prints. wire: 6 trips, 3 again."""
        from jdbpy.session.vm.diagnostic_commands import run_diagnostic_command

        return await run_diagnostic_command(self._runner, line)

    def known_names(self) -> tuple[Sequence[str], Sequence[str]]:
        """Names of properties and of flags, as far as they have been listed; for completion. No trip."""
        return self._names, self._flags
