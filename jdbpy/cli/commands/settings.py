"""Settings of jdbpy itself, and the step filters."""

from __future__ import annotations

from typing import Annotated

from jdbpy.cli.arguments.base import ChoiceArgument, TextArgument
from jdbpy.cli.arguments.commands import SettingName
from jdbpy.cli.arguments.target import ExcludePatterns
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Sentence, Shown, TablePieces
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings, find
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.record import Record


class Excludes(Record):
    """Patterns of classes that stepping passes through."""

    patterns: tuple[str, ...]


class SettingValue(Record):
    """A setting."""

    json_name = "setting"

    name: str
    value: str
    form: Annotated[str, "what it takes"]
    help: str


class SettingValues(Record):
    """Settings of jdbpy."""

    json_name = "settings"

    settings: tuple[SettingValue, ...]


_COLUMNS = (
    Column("setting", style="name", least=8, fold=True),
    Column("value", style="number", least=4, fold=True),
    Column("meaning", least=12, drop=1, fold=True),
)


@shows(Excludes)
def excludes(result: Excludes, settings: Settings) -> Shown:
    yield Sentence("steps pass through: " + (", ".join(result.patterns) if result.patterns else "no class"))


@shows(SettingValues)
def setting_values(result: SettingValues, settings: Settings) -> Shown:
    yield TablePieces(_COLUMNS, [(one.name, one.value, f"{one.help} ({one.form})") for one in result.settings])


@command("show", group="settings")
async def show(ctx: Context, name: Annotated[str, SettingName()] = "") -> SettingValues:
    """Show the settings, or one of them. `set NAME VALUE` changes it."""
    chosen = [name] if name else [setting.name for setting in ctx.settings]
    return SettingValues(tuple(value_of(ctx, setting) for setting in chosen))


@command("config", group="settings")
async def config(
    ctx: Context, name: Annotated[str, SettingName()] = "", value: Annotated[str, TextArgument("VALUE")] = ""
) -> SettingValues:
    """Show or change settings: `config NAME VALUE` is `set NAME VALUE`."""
    return change(ctx, name, value) if value else await show(ctx, name)


@command("repeat", group="settings")
async def repeat(ctx: Context, value: Annotated[str, ChoiceArgument("on", "off")] = "") -> SettingValues:
    """Say whether an empty line at the prompt repeats a stepping or listing command, or change that."""
    return change(ctx, "repeat", value) if value else await show(ctx, "repeat")


@command("exclude", "skip", group="settings")
async def exclude(ctx: Context, patterns: Annotated[tuple[str, ...] | None, ExcludePatterns()] = None) -> Excludes:
    """Show or set the classes that steps pass through: `exclude java.*, *Proxy`; `exclude none` clears the list."""
    execution = ctx.session.execution
    if patterns is not None:
        execution.set_excludes(patterns)
    return Excludes(tuple(execution.excludes))


def change(ctx: Context, name: str, text: str) -> SettingValues:
    """Change a setting. Raises UsageError for an unknown one, a value that does not fit or none at all."""
    if not text:
        setting = value_of(ctx, name)
        raise UsageError(
            f"a value for '{setting.name}' is missing (it is {setting.value})",
            hint=f"usage: set {setting.name} {setting.form}; to change the target: set TARGET = EXPRESSION",
        )
    if find(name).name == "decompiler":
        ctx.session.sources.check_decompiler(find(name).parse(text))
    changed = ctx.settings.set(name, text).name
    if changed == "max-suspend":
        ctx.session.max_suspend = ctx.settings[changed]
    if changed == "hold":
        ctx.session.hold = "" if ctx.settings[changed] == "auto" else ctx.settings[changed]
    if changed == "in-target":
        ctx.session.instrumentation.mode = ctx.settings[changed]
    if changed in _RULES:
        values = ctx.session.values
        values.rules = values.rules.replace(**{_RULES[changed]: ctx.settings[changed]})
    if changed in _WARNINGS:
        ctx.session.points.warn_at(**{_WARNINGS[changed]: ctx.settings[changed] or 0})
    return SettingValues((value_of(ctx, changed),))


_RULES = {"javac": "javac", "let-others-run": "others_run", "run-limit": "limit"}
"""Settings that are rules of the session for running methods, and their names there."""


_WARNINGS = {"hot-limit": "rate", "cost-limit": "cost"}
"""Settings that say from when on the session reports a hot place, and their names there."""


def value_of(ctx: Context, name: str) -> SettingValue:
    """Return a setting as it is now."""
    setting = find(name)
    return SettingValue(setting.name, ctx.settings.text(setting.name), setting.form, setting.help)
