"""Completion for shells: ``jdbpy completion bash|zsh|fish`` prints a script, which asks back for what is there now.

Owns the scripts. Actions and options are those of ``cmdline``; addresses of JVMs and names of served sessions are asked
for when they are needed (``jdbpy completion addresses``, ``jdbpy completion sessions``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from jdbpy.cli.cmdline import ALL_ACTIONS, Flag, flags_of
from jdbpy.errors import UsageError

SHELLS = ("bash", "zsh", "fish")

_WAY = {
    "bash": "put it into ~/.local/share/bash-completion/completions/jdbpy",
    "zsh": "source it in ~/.zshrc: source <(jdbpy completion zsh)",
    "fish": "put it into ~/.config/fish/completions/jdbpy.fish",
}

_BASH = """\
# Completion of jdbpy; {way}
{prelude}_jdbpy() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} action=${{COMP_WORDS[1]}}
    local words="" kind=""
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{actions} --help --version" -- "$word"))
        return
    fi
    case "$action $before" in
{values}
    esac
    case "$kind" in
        files) COMPREPLY=($(compgen -f -- "$word")); return ;;
        text) return ;;
        words) COMPREPLY=($(compgen -W "$words" -- "$word")); return ;;
    esac
    case "$word" in
        -*)
            case "$action" in
{options}
            esac
            ;;
        *)
            case "$action" in
                attach) words="$(jdbpy completion addresses 2>/dev/null)" ;;
                join) words="$(jdbpy completion sessions 2>/dev/null)" ;;
                completion) words="{shells}" ;;
                open | replay | packets | launch) COMPREPLY=($(compgen -f -- "$word")); return ;;
            esac
            ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o filenames -F _jdbpy jdbpy
"""


def script(shell: str) -> str:
    """Return the script for a shell."""
    if shell == "fish":
        return _fish()
    return _BASH.format(
        way=_WAY[shell],
        prelude="autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else "",
        actions=" ".join(ALL_ACTIONS),
        values="\n".join(_values()),
        options="\n".join(
            f'                {action}) words="{" ".join(flag.name for flag in flags_of(action))}" ;;'
            for action in ALL_ACTIONS
            if flags_of(action)
        ),
        shells=" ".join(SHELLS),
    )


def _values() -> Iterable[str]:
    """Yield the lines that say what stands behind an option."""
    for flag in _every_flag():
        if not flag.takes:
            continue
        if flag.choices:
            yield f'        *" {flag.name}") kind=words words="{" ".join(flag.choices)}" ;;'
        else:
            yield f'        *" {flag.name}") kind={"files" if flag.is_file else "text"} ;;'


def _every_flag() -> list[Flag]:
    found = {flag.name: flag for action in ALL_ACTIONS for flag in flags_of(action)}
    return list(found.values())


def _fish() -> str:
    lines = [f"# Completion of jdbpy; {_WAY['fish']}", "complete -c jdbpy -f"]
    first = "not __fish_seen_subcommand_from " + " ".join(ALL_ACTIONS)
    lines += [f"complete -c jdbpy -n '{first}' -a {action}" for action in ALL_ACTIONS]
    for action in ALL_ACTIONS:
        here = f"complete -c jdbpy -n '__fish_seen_subcommand_from {action}'"
        for flag in flags_of(action):
            name = f"-l {flag.name[2:]}" if flag.name.startswith("--") else f"-s {flag.name[1:]}"
            value = f" -x -a '{' '.join(flag.choices)}'" if flag.choices else " -r -F" if flag.is_file else " -x"
            lines.append(f"{here} {name}{value if flag.takes else ''}")
    for action, words in (("attach", "addresses"), ("join", "sessions")):
        lines.append(f"complete -c jdbpy -n '__fish_seen_subcommand_from {action}' -a '(jdbpy completion {words})'")
    lines.append(f"complete -c jdbpy -n '__fish_seen_subcommand_from completion' -a '{' '.join(SHELLS)}'")
    files = "open replay packets launch"
    lines.append(f"complete -c jdbpy -n '__fish_seen_subcommand_from {files}' -F")
    return "\n".join(lines) + "\n"


def printed(words: list[str]) -> str:
    """Return what ``jdbpy completion WORDS`` prints. Raises UsageError."""
    if len(words) != 1 or words[0] not in (*SHELLS, "addresses"):
        raise UsageError(
            f"completion needs a shell: {', '.join(SHELLS)}",
            hint="; ".join(f"{name}: {way}" for name, way in _WAY.items()),
        )
    if words[0] == "addresses":
        return "".join(f"{each}\n" for each in _addresses())
    return script(words[0])


def _addresses() -> list[str]:
    """Return where agents of this machine's JVMs listen, those that have no debugger first; ports alone where those
    suffice. Then the JVMs that have no agent, by their processes."""
    if not os.path.isdir("/proc/self"):
        return []
    import jdbpy

    found = sorted(jdbpy.local_jvms(), key=lambda jvm: jvm.debugger)
    without_agent = [f"pid://{jvm.pid}" for jvm in found if not jvm.address and not jvm.note]
    return [*(jvm.address.removeprefix("127.0.0.1:") for jvm in found if jvm.address), *without_agent]
