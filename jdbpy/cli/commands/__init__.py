"""The commands, one module per group. A module is loaded when one of its commands is looked up.

Owns which names are whose: starting must not wait for commands that nobody gives.
"""

from jdbpy.cli.table import TABLE

TABLE.hold(
    __name__,
    {
        "actions": "monitor, info monitors, unmonitor, commands, on",
        "breakpoints": (
            "stop, break, b, tbreak, tb, breakpoints, bl, info breakpoints, info break, "
            "info b, clear, delete, enable, disable, toggle, condition, cond, save breakpoints"
        ),
        "catching": "catch, info catch, ignore, uncatch",
        "classes": "classes, info classes, class, ptype, methods, info methods, fields, info fields, lines",
        "code": "disassemble, bytecodes, disass, disas, constpool, constantpool, extension, sourcedebug, stratum",
        "settings": "show, config, repeat, exclude, skip",
        "data": (
            "locals, info locals, args, info args, print, p, eval, call, po, dump, pp, x, examine, set, whatis, "
            "display, info display, undisplay"
        ),
        "views": "view, info views, unview",
        "saved": "save, forget, values, show values, info values",
        "threads": "threads, info threads, cputime, thread, info thread, thread info, thread find, threadgroups",
        "stack": (
            "where, bt, w, backtrace, stack, info stack, wherei, bt full, where full, backtrace full, where "
            "all, bt all, w all, backtrace all, stack all, thread apply all bt, wherei all, up, u, down, "
            "frame, f, info frame"
        ),
        "frames": "return, force-return, pop, reenter, restart-frame",
        "heap": (
            "instances, histogram, histo, referrers, path, size, disablegc, enablegc, gc, memory, info memory, heapdump"
        ),
        "help": "help, h, ?, help jvmti, apropos, info, i",
        "hotswap": "redefine, hotswap",
        "leaving": "quit, exit, q, detach, version, info target, info vm",
        "locks": "threadlocks, info locks, lock, deadlocks, deadlock",
        "modules": (
            "modules, info modules, module, module reads, module exports, module opens, module uses, module provides"
        ),
        "reporting": "logpoint, dprintf, tracepoint, tp",
        "running": "run, r, cont, continue, c, until, advance, pause, panic, wait, restart, start",
        "scripts": "read, source, echo, shell",
        "source": "list, l, longlist, ll, use, sourcepath, directory, info source, info sources, info line",
        "stepping": (
            "step, s, step in, step into, step up, finish, fin, out, so, step out, next, n, step over, "
            "stepi, si, nexti, ni"
        ),
        "thread_actions": "suspend, resume, interrupt, kill, thread name, thread apply",
        "tracing": "trace, info traces, trace summary, untrace",
        "vm": (
            "vm, processors, uptime, timers, nanotime, capabilities, properties, info properties, property, "
            "classpath, classpath add, flags, info flags, flag, jcmd"
        ),
        "watching": "watch, info watchpoints, rwatch, awatch, unwatch",
    },
)

__all__ = ["TABLE"]
