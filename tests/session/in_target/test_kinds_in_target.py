"""Conditions inside the target in code of every kind: each is woven when its class is prepared, and hits once."""

from __future__ import annotations

import re

from jdbpy import Stopped
from tests.harness import Jvm, debug, inline

SOURCE = """
import java.util.*;
import java.util.function.*;

public class Kinds {
    public static void main(String[] args) throws Exception {
        new Kinds().all();
        sum += Held.kept;
        Thread thread = new Thread(Kinds::inThread);
        if (Runtime.version().feature() >= 21) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            thread = (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, (Runnable) Kinds::inThread);
        }
        thread.start();
        thread.join();
        System.out.println("done"); // @done
    }
    private int secret = 5;
    static int sum;
    void all() {
        IntUnaryOperator f = i -> {
            return i + secret; // @lambda | i == 777
        };
        Object lock = new Object();
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            sum += f.applyAsInt(i);
            new Made(i);
            sum += finallyDone(i);
            list.add(i);
            synchronized (lock) {
                sum += i; // @synchronized | i == 777
            }
            sum += new Rec(i, "x").x();
            sum += Enumed.of(i).value(i);
            named(i).length();
            light(new Kinds(), i);
            heavy(new Heavy(), i);
            sum += this.<Integer>generic(i, i);
            new Object() { void go(int j) {
                sum += j + secret; // @anonymous | j == 777 && secret == 5
            } }.go(i);
            sum += switch (i % 3) {
                case 0 -> 1;
                case 1 -> {
                    int k = i;
                    yield k + 1; // @switch | k == 775
                }
                default -> 2;
            };
        }
        for (int each : list) {
            sum += each; // @foreach | each == 777
        }
        fib(12);
    }
    static int finallyDone(int i) {
        try {
            if (i % 2 == 0) throw new IllegalStateException();
            return i;
        } catch (IllegalStateException e) {
            return -i; // @catch | i == 776 && e != null
        } finally {
            sum++; // @finally | i == 777
        }
    }
    int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2); // @recursion | n == 12 && fib(n - 3) == 34
    }
    static <T> T generic(T value, int i) {
        return value; // @generic | value.equals(777)
    }
    static String named(int i) {
        return new Named() { }.name(i);
    }
    int weight;
    int weight() { return weight; }
    static int light(Kinds kinds, int i) {
        kinds.weight = i;
        return sum + i; // @getter | kinds.weight() == 777
    }
    static int heavy(Kinds kinds, int i) {
        kinds.weight = i;
        return sum + i; // @overridden | kinds.weight() == 777
    }
    static class Heavy extends Kinds {
        int weight() { return heavy(this, weight) * 0 + weight; }
    }
    interface Named { default String name(int i) {
        return "n" + i; // @default | i == 777 && this != null
    } }
    static class Made {
        final int n;
        Made(int n) {
            super();
            this.n = n; // @constructor | n == 777
        }
    }
    record Rec(int x, String y) {
        Rec {
            if (x < 0) throw new IllegalStateException(); // @record | x == 777 && y.length() == 1
        }
    }
    enum Enumed { ONE, TWO; static Enumed of(int i) { return values()[i & 1]; }
        int value(int i) {
            return ordinal() + i; // @enum | i == 777 && this == TWO
        }
    }
    static class Held {
        static int kept;
        static {
            int s = 0;
            for (int i = 0; i < 1000; i++) {
                s += i; // @initializer | i == 777
            }
            kept = s;
        }
    }
    static void inThread() {
        for (int i = 0; i < 1000; i++) {
            sum += i; // @thread | i == 777 && Thread.currentThread() != null
        }
    }
}
"""
CONDITIONS = dict(re.findall(r"// @(\w+) \| (.*)", SOURCE))


async def test_code_of_every_kind(jvm: Jvm) -> None:
    """Lambdas, monitors, handlers, constructors, initializers, virtual threads, calls of the method itself."""
    program = inline(re.sub(r"// @(\w+) \|.*", r"// @\1", SOURCE))
    async with debug(jvm, program) as d:
        d.session.instrumentation.mode = "eager"
        numbers = {}
        for name, condition in CONDITIONS.items():
            point = await d.session.breakpoints.add(f"Kinds:{program.line(name)}", condition=condition)
            numbers[point.number] = name
        await d.session.breakpoints.add(d.at("done"))
        stops: list[str] = []
        while not stops or stops[-1] != "done":
            await d.resume()
            stop = await d.next_event()
            assert isinstance(stop, Stopped)
            stops.append(numbers.get(stop.breakpoint or 0, "done"))
            assert stop.location is not None
            assert stop.location.line == program.line(stops[-1])
        assert sorted(stops[:-1]) == sorted(CONDITIONS)
        found = {numbers[each.number]: each for each in d.session.breakpoints.list() if each.number in numbers}
        assert {name: each.ordinary for name, each in found.items() if not each.in_target} == {}
        sites = [each for of_class in d.session.instrumentation.changes.sites.values() for each in of_class.values()]
        helpers = {numbers[each.point.number]: each.helper.data for each in sites}
        unguarded = {name for name, data in helpers.items() if b"getClass" in data}
        assert unguarded == {"getter", "overridden"}  # where objects are of the class itself they come to no other code
        await d.resume()
        await d.wait_exit()
