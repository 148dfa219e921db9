"""Random Java programs that log the lines that they reach and what they store, for what is recorded of them.

A seed decides the program. It has loops of all kinds, switches, handlers, nested calls, values of all types and
exceptions through frames. Its method ``run`` calls the others, in as many threads as a line of its input says, and
writes of each call a line: number | thread | method | arguments | events ; how it ended.

An event is ``L12`` (that line is reached), ``x=5`` (a store, ``this.x=5`` of a field), ``Help.f=5`` (a call came
back). Numbers stand there by their bits, strings by length and hash, objects by identity.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

PRIMITIVES = ("int", "long", "float", "double", "char", "boolean", "byte", "short")
_BOXED = {"int": "Integer", "long": "Long"}
_OBJECTS = ("String", "int[]", "Integer", "Work")
_FIELDS = [*PRIMITIVES, *_OBJECTS]

CLASS = "Work"
"""The class whose methods log themselves."""

_MAIN = """
class Log {
    static final ThreadLocal<java.util.ArrayDeque<StringBuilder>> LOGS =
        ThreadLocal.withInitial(java.util.ArrayDeque::new);
    static final java.util.concurrent.atomic.AtomicInteger NEXT = new java.util.concurrent.atomic.AtomicInteger();
    static java.io.PrintStream out;

    static StringBuilder log() {
        java.util.ArrayDeque<StringBuilder> all = LOGS.get();
        return all.isEmpty() ? new StringBuilder() : all.peek();
    }
    static boolean at(int line) { log().append('L').append(line).append(';'); return true; }
    static <T> T at(int line, T value) { at(line); return value; }
    static int at(int line, int value) { at(line); return value; }
    static boolean put(String name, Object value) {
        log().append(name).append('=').append(text(value)).append(';');
        return true;
    }
    static String text(Object value) {
        if (value == null) { return "null"; }
        if (value instanceof Float) { return "F" + Float.floatToIntBits((Float) value); }
        if (value instanceof Double) { return "D" + Double.doubleToLongBits((Double) value); }
        if (value instanceof Character) { return "C" + (int) (Character) value; }
        if (value instanceof int[]) { return "A" + ((int[]) value).length; }
        if (value instanceof String) {
            String text = (String) value;
            return "S" + text.length() + ":" + text.substring(0, Math.min(200, text.length())).hashCode();
        }
        if (value instanceof Number || value instanceof Boolean) { return value.toString(); }
        return "O" + System.identityHashCode(value);
    }
    static Iterable<Integer> over(int line, int count) {
        return () -> new java.util.Iterator<Integer>() {
            int next;
            public boolean hasNext() { return at(line) && next < count; }
            public Integer next() { return next++; }
            public void remove() { }
        };
    }
}

class Help {
    static int f(int n) { int v = n * 31 + 7; Log.put("Help.f", v); return v; }
    static double g(double n) { double v = n / 3 - 1; Log.put("Help.g", v); return v; }
    static String h(String s) {
        String v = s == null ? "" : s + "\\u00e9\\ud83d\\ude00";
        Log.put("Help.h", v);
        return v;
    }
    static int fail(int n) {
        if (n % 3 == 0) { throw new IllegalStateException("fail " + n); }
        Log.put("Help.fail", n);
        return n;
    }
}

public class Telling {
    public static void main(String[] args) throws Exception {
        Log.out = new java.io.PrintStream(
            new java.io.BufferedOutputStream(new java.io.FileOutputStream(args[0])), false, "UTF-8");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        System.out.println("ready");
        String line;
        while ((line = in.readLine()) != null) {
            String[] words = line.split(" ");
            int threads = Integer.parseInt(words[0]), calls = Integer.parseInt(words[1]);
            int turns = Integer.parseInt(words[2]);
            Thread[] all = new Thread[threads];
            for (int t = 0; t < threads; t++) {
                all[t] = new Thread(() -> {
                    Work work = new Work();
                    for (int i = 0; i < calls; i++) {
                        try {
                            call(work, 0, turns);
                        } catch (RuntimeException gone) {
                            // it was told
                        }
                    }
                }, "worker " + t);
                all[t].start();
            }
            for (Thread each : all) {
                each.join();
            }
            Log.out.flush();
            System.out.println("done");
        }
    }

    static int call(Work work, int depth, int turns) {
        int id = Log.NEXT.getAndIncrement();
        StringBuilder log = new StringBuilder();
        Log.LOGS.get().push(log);
        String end = "";
        int method = id * 7 % @COUNT@;
        int turns0 = id % 5 == 0 ? turns : id % 11;
        long a = id * 0x9E3779B97F4A7C15L;
        double b = a / 1e9;
        float c = id / 7f;
        String s = id % 6 == 0 ? null : "text " + (id % 50 == 1 ? new String(new char[300]) : "") + id;
        int[] n = id % 9 == 0 ? null : new int[id % 13];
        try {
            switch (method) {
@CALLS@
            }
            return depth + id % 100;
        } catch (RuntimeException thrown) {
            end = "threw " + thrown.getClass().getName();
            throw thrown;
        } finally {
            Log.LOGS.get().pop();
            String arguments = "turns=" + turns0 + ",a=" + a + ",b=" + Log.text(b) + ",c=" + Log.text(c)
                + ",s=" + Log.text(s) + ",n=" + Log.text(n);
            synchronized (Log.out) {
                Log.out.println(id + "|" + Thread.currentThread().getName() + "|" + method + "|" + arguments + "|"
                    + log + (end.isEmpty() ? "returned " + Log.text(RESULT.get()) : end));
            }
        }
    }

    static final ThreadLocal<Object> RESULT = new ThreadLocal<>();
}

"""

_ARGUMENTS = "int id, int depth, int turns, long a, double b, float c, String s, int[] n, Work that"


class SelfLogging:
    """A program. ``source`` is its text; ``lines`` are the lines that its methods log, ``methods`` their number."""

    def __init__(self, seed: int, methods: int = 6) -> None:
        self._random = random.Random(f"self-logging {seed}")
        self.methods = methods
        self.lines: set[int] = set()
        self._out: list[str] = []
        self._names = 0
        calls = []
        bodies = []
        for number in range(methods):
            static = number % 3 == 1
            of = "Work" if static else "work"
            returns = self._random.choice((*PRIMITIVES, "String", "int[]", "void"))
            call = f"{of}.m{number}(id, depth, turns0, a, b, c, s, n, new Work())"
            calls.append(
                f"case {number}: "
                + (f"{call}; RESULT.set(null); break;" if returns == "void" else f"RESULT.set({call}); break;")
            )
            bodies.append((number, static, returns))
        self._out += _MAIN.replace("@COUNT@", str(methods)).replace("@CALLS@", "\n".join(calls)).splitlines()
        self._plain("class Work {")
        for each in _FIELDS:
            self._plain(f"{each} of{_word(each)}; static {each} all{_word(each)};")
        for number, static, returns in bodies:
            self._method(number, static, returns)
        self._plain("}")
        self.source = "\n".join(self._out) + "\n"

    # -- text ----------------------------------------------------------------------------------------------------------

    @property
    def _line(self) -> int:
        """The number of the line that is written next."""
        return len(self._out) + 1

    def _plain(self, text: str) -> None:
        self._out.append(text)

    def _told(self, text: str, first: str = "") -> int:
        """Write a line that logs itself; ``first`` comes in front of that."""
        line = self._line
        self.lines.add(line)
        self._out.append(f"{first}Log.at({line}); {text}")
        return line

    def _name(self, kind: str = "v") -> str:
        self._names += 1
        return f"{kind}{self._names}"

    # -- methods -------------------------------------------------------------------------------------------------------

    def _method(self, number: int, static: bool, returns: str) -> None:
        synchronized = "synchronized " if number % 4 == 3 else ""
        self._static = static
        self._plain(f"{'static ' if static else ''}{synchronized}{returns} m{number}({_ARGUMENTS}) {{")
        scope = [("id", "int"), ("turns", "int"), ("a", "long"), ("b", "double"), ("c", "float")]
        scope += [("s", "String"), ("n", "int[]")]
        if number % 3 == 2:  # instructions for many variables are wide
            for _ in range(130):
                name = self._name()
                self._told(f'long {name} = id; Log.put("{name}", {name});')
            scope.append((name, "long"))
        self._block(scope, 3, (), loops=True)
        if returns == "void":
            if self._random.random() < 0.5:
                self._told("return;")
        else:
            self._told(f"return {self._value(returns, scope)};")
        self._plain("}")

    def _block(
        self, scope: Sequence[tuple[str, str]], depth: int, exits: Sequence[str], *, loops: bool = False
    ) -> None:
        """Write some statements. ``exits`` are the labels of loops that may be left or gone on with here."""
        inner = list(scope)
        for at in range(self._random.randint(1, 3) + 4 * loops):
            if loops and at == 4:
                self._counted("turns", inner, 1)
            choice = self._random.random()
            if depth and choice < 0.6:
                self._random.choice(self._nested)(self, inner, depth - 1, exits)
            else:
                self._simple(inner)
        if self._random.random() < 0.4:  # a variable whose scope ends with a store
            name, kind = self._declare(inner)
            self._told(f'{name} = {self._value(kind, inner)}; Log.put("{name}", {name});')
            self._plain("{")
            name, kind = self._declare(inner)
            inner.pop()
            line = self._line
            self.lines.add(line)
            self._plain(f'Log.at({line}); Log.put("{name}", {name} = {self._value(kind, inner)});')
            self._told(f'{name} = {self._literal(kind)}; }} Log.put("{name}", {self._literal_again});')

    # -- statements ----------------------------------------------------------------------------------------------------

    def _simple(self, scope: list[tuple[str, str]]) -> None:
        which = self._random.randrange(12)
        of = [each for each in scope if each[0] not in ("id", "turns") and each[0][0] != "i"]
        if which < 3 or not of:
            self._declare(scope)
        elif which == 3:
            name, kind = self._random.choice(of)
            self._told(f'{name} = {self._value(kind, scope)}; Log.put("{name}", {name});')
        elif which == 4:
            numbers = [each for each in of if each[1] in PRIMITIVES and each[1] != "boolean"]
            name, kind = self._random.choice(numbers)
            text = self._random.choice((f"{name}++", f"{name} += 1000", f"--{name}", f"{name} *= 3", f"{name} -= 7"))
            self._told(f'{text}; Log.put("{name}", {name});')
        elif which < 8:
            kind = self._random.choice(_FIELDS)
            field = self._random.choice(
                (
                    f"Work.all{_word(kind)}",
                    f"that.of{_word(kind)}",
                    *([] if self._static else [f"this.of{_word(kind)}"]),
                )
            )
            if field.startswith("Work"):  # other threads write it as well
                value = self._literal(kind)
                self._told(f'{field} = {value}; Log.put("{field}", {self._literal_again});')
            elif kind in ("int", "long", "short", "double") and self._random.random() < 0.5:
                text = self._random.choice((f"{field}++", f"{field} += 5"))
                self._told(f'{text}; Log.put("{field}", {field});')
            else:
                self._told(f'{field} = {self._value(kind, scope)}; Log.put("{field}", {field});')
        elif which == 8:
            numbers = [each for each in of if each[1] in ("int", "long", "double")]
            if len(numbers) > 1 and not self._static:
                (one, kind), (other, kind2) = self._random.sample(numbers, 2)
                self._told(
                    f"this.of{_word(kind)} = {one} = ({kind}) ({other} = ({kind2}) {self._value('int', scope)});"
                    f' Log.put("{other}", {other}); Log.put("{one}", {one});'
                    f' Log.put("this.of{_word(kind)}", this.of{_word(kind)});'
                )
            else:
                self._declare(scope)
        elif which == 9:
            name = self._name()
            what, of_kind = self._random.choice(
                (("Help.f(id % 1000)", "int"), ("Help.g(b)", "double"), ("Help.h(s)", "String"))
            )
            self._told(f'{of_kind} {name} = {what}; Log.put("{name}", {name});')
            scope.append((name, of_kind))
        elif which == 10:
            self._told("if (n != null && n.length > 0) { n[id % n.length] = id; }")
        else:
            self._conditional(scope)

    def _conditional(self, scope: list[tuple[str, str]]) -> None:
        """A conditional expression over lines: both ways meet on the last one."""
        name, line = self._name(), self._line
        self.lines |= {line, line + 1, line + 2}
        self._plain(f"int {name} = Log.at({line}) && {self._condition(scope)}")
        self._plain(f"? Log.at({line + 2}, Log.at({line + 1}, {self._value('int', scope)}))")
        self._plain(f': Log.at({line + 2}, {self._value("int", scope)}); Log.put("{name}", {name});')
        scope.append((name, "int"))

    def _declare(self, scope: list[tuple[str, str]]) -> tuple[str, str]:
        kind = self._random.choice(_FIELDS)
        name = self._name()
        self._told(f'{kind} {name} = {self._value(kind, scope)}; Log.put("{name}", {name});')
        scope.append((name, kind))
        return name, kind

    # -- what has statements in it -------------------------------------------------------------------------------------

    def _counted(self, most: str, scope: Sequence[tuple[str, str]], depth: int, exits: Sequence[str] = ()) -> None:
        name, label, line = self._name("i"), self._name("out"), self._line
        self.lines.add(line)
        self._plain(
            f'{label}: for (int {name} = Log.at({line}, 0); Log.put("{name}", {name}) && {name} < {most};'
            f" {name} = Log.at({line}, {name} + 1)) {{"
        )
        self._block([*scope, (name, "int")], depth, (*exits, label))
        self._leave((*exits, label))
        self._plain("}")

    def _for(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        self._counted(str(self._random.randrange(5)), scope, depth, exits)

    def _while(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        name, label = self._name("i"), self._name("out")
        self._told(f'int {name} = 0; Log.put("{name}", {name});')
        line = self._line
        self.lines.add(line)
        self._plain(f"{label}: while (Log.at({line}, {name}) < {self._random.randrange(4)}) {{")
        self._told(f'{name}++; Log.put("{name}", {name});')
        self._block([*scope, (name, "int")], depth, (*exits, label))
        self._leave((*exits, label))
        self._plain("}")

    def _do(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        name = self._name("i")
        self._told(f'int {name} = 0; Log.put("{name}", {name});')
        self._plain("do {")
        self._block([*scope, (name, "int")], depth, ())
        self._plain("}")
        line = self._line
        self.lines.add(line)
        self._plain(f'while (Log.put("{name}", Log.at({line}, ++{name})) && {name} < {self._random.randrange(4)});')

    def _each(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        name, label, line = self._name("i"), self._name("out"), self._line
        self.lines.add(line)
        self._plain(f"{label}: for (int {name} : Log.over({line}, {self._random.randrange(5)})) {{")
        self._told("", f'Log.put("{name}", {name}); ')
        self._block([*scope, (name, "int")], depth, (*exits, label))
        self._leave((*exits, label))
        self._plain("}")

    def _leave(self, exits: Sequence[str]) -> None:
        if self._random.random() < 0.5:
            word = self._random.choice(("break", "continue"))
            line = self._line
            self.lines.add(line)
            self._plain(f"if (Log.at({line}, id) % {self._random.randint(2, 5)} == 1) {{")
            self._told(f"{word} {self._random.choice(exits)};")
            self._plain("}")

    def _if(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        line = self._line
        self.lines.add(line)
        self._plain(f"if (Log.at({line}) && {self._condition(scope)}) {{")
        self._block(scope, depth, exits)
        if self._random.random() < 0.5:
            self._plain("}")
            line = self._line
            self.lines.add(line)
            self._plain(f"else if (Log.at({line}) && {self._condition(scope)}) {{")
            self._block(scope, depth, exits)
        if self._random.random() < 0.5:
            self._plain("} else {")
            self._block(scope, depth, exits)
        self._plain("}")

    def _switch(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        line = self._line
        self.lines.add(line)
        if self._random.random() < 0.5:
            wide = self._random.choice((1, 1000))
            self._plain(f"switch (Log.at({line}, id % 4 * {wide})) {{")
            labels = [str(each * wide) for each in range(3)]
        else:
            self._plain(f'switch (Log.at({line}, "k" + id % 4)) {{')
            labels = [f'"k{each}"' for each in range(3)]
        for label in (*(f"case {each}" for each in labels), "default"):
            self._plain(f"{label}: {{")
            self._block(scope, depth, exits)
            if self._random.random() < 0.6:
                self._told("break;")
            self._plain("}")
        self._plain("}")

    def _try(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        self._plain("try {")
        self._block(scope, depth, ())
        self._throw(scope)
        self._plain("}")
        caught = self._random.sample(
            ("ArithmeticException", "NullPointerException", "IllegalStateException", "RuntimeException"),
            self._random.randint(0, 2),
        )
        if "RuntimeException" in caught:
            caught.remove("RuntimeException")
            caught.append("RuntimeException")
        for each in caught:
            name, line = self._name("e"), self._line
            self.lines.add(line)
            self._plain(f"catch ({each} {name}) {{")
            self._told("", f'Log.at({line}); Log.put("{name}", {name}); ')
            self._block(scope, depth, ())
            self._plain("}")
        if not caught or self._random.random() < 0.5:
            self._plain("finally {")
            self._block(scope, depth, ())
            self._plain("}")

    def _throw(self, scope: Sequence[tuple[str, str]]) -> None:
        match self._random.randrange(5):
            case 0:
                self._told('int none = id / (id % 4); Log.put("none", none);')
            case 1:
                self._told('int length = s.length(); Log.put("length", length);')
            case 2:
                self._told('int got = Help.fail(id); Log.put("got", got);')
            case 3:
                self._told('int deep = depth < 2 ? Telling.call(that, depth + 1, 2) : 0; Log.put("deep", deep);')
            case _:
                line = self._line
                self.lines.add(line)
                self._plain(f"if (Log.at({line}, id) % 7 == 3) {{")
                self._told('throw new IllegalStateException("id " + id);')
                self._plain("}")

    def _synchronized(self, scope: list[tuple[str, str]], depth: int, exits: Sequence[str]) -> None:
        line = self._line
        self.lines.add(line)
        self._plain(f"synchronized (Log.at({line}, that)) {{")
        self._block(scope, depth, ())
        self._plain("}")

    _nested: Sequence[Callable[..., None]] = (_for, _while, _do, _each, _if, _if, _switch, _try, _try, _synchronized)

    # -- expressions ---------------------------------------------------------------------------------------------------

    _literal_again = ""
    """The last literal once more, of its type."""

    def _literal(self, kind: str) -> str:
        n = self._random.randrange(-100, 100)
        text = {
            "int": f"{n * 7919}", "long": f"{n * 7919}00000L", "float": f"{n}.5f", "double": f"{n}.125",
            "char": f"(char) {n + 40000}", "boolean": "true" if n % 2 else "false", "byte": f"(byte) {n}",
            "short": f"(short) {n * 300}", "String": f"\"lit {n}\"", "int[]": "null", "Integer": f"{n}", "Work": "null",
        }[kind]  # fmt: skip
        self._literal_again = text
        return text

    def _value(self, kind: str, scope: Sequence[tuple[str, str]]) -> str:
        same = [name for name, of in scope if of == kind]
        numbers = [name for name, of in scope if of in PRIMITIVES and of != "boolean"]
        if same and self._random.random() < 0.3:
            return self._random.choice(same)
        if kind in PRIMITIVES and kind != "boolean" and self._random.random() < 0.7:
            operator = self._random.choice("+-*")
            return f"({kind}) ({self._random.choice(numbers)} {operator} {self._random.choice(numbers)})"
        match kind:
            case "boolean":
                return self._condition(scope)
            case "String":
                return self._random.choice(("s + id", '"k" + (a + 1)', "null", "s"))
            case "int[]":
                return self._random.choice(("new int[id % 5]", "n", "null"))
            case "Integer":
                return self._random.choice(("id", "null", "id + 1000"))
            case "Work":
                return self._random.choice(("new Work()", "that", "null"))
        return self._literal(kind)

    def _condition(self, scope: Sequence[tuple[str, str]]) -> str:
        numbers = [name for name, of in scope if of in PRIMITIVES and of != "boolean"]
        return self._random.choice(
            (
                f"{self._random.choice(numbers)} > {self._random.choice(numbers)}",
                f"id % {self._random.randint(2, 6)} < 2",
                "s == null",
                "n != null && n.length > 3",
            )
        )


def _word(kind: str) -> str:
    return kind.replace("[]", "s").capitalize() + ("Box" if kind == "Integer" else "")
