"""The test frameworks, in one table, and the rule of a failure: an exception leaves a method that a framework has
called.

Pure: a stack is the names of the classes of its frames, the innermost first. A method of a test is the first frame of
the program's own code whose caller, reflection left out, is the runner of a framework. What is run before and after a
test counts too: the same runner calls it. An exception leaves that method if it is caught farther out. So what
``assertThrows`` and its like catch is no failure: they are called by the test, and catch it deeper.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.session.java.signatures import is_lambda_class


class Framework(Record):
    """A test framework. ``runners`` are prefixes of the names of the classes that call tests; ``but`` are those among
    them that tests call, with code of theirs. ``first`` are classes that are loaded before the first test runs.
    """

    name: str
    runners: tuple[str, ...]
    first: tuple[str, ...]
    but: tuple[str, ...] = ()


CLOJURE = "clojure.test"
CLOJURE_REPORT = "clojure.test$do_report"
"""The function to which ``is`` reports: a failure is a map there, and no exception leaves anything."""

FRAMEWORKS = (
    Framework(
        "JUnit 5",
        ("org.junit.jupiter.engine.", "org.junit.platform."),
        ("org.junit.platform.commons.util.ReflectionUtils",),
    ),
    Framework(
        "JUnit 4",
        ("org.junit.runners.", "org.junit.internal.", "org.junit.rules.", "org.junit.runner."),
        ("org.junit.runners.model.FrameworkMethod",),
        (
            *(
                "org.junit.internal.ArrayComparisonFailure",
                "org.junit.internal.matchers.",
                "org.junit.rules.ErrorCollector",
            ),
            *(f"org.junit.internal.{kind}ComparisonCriteria" for kind in ("", "Exact", "Inexact")),
        ),
    ),
    Framework("JUnit 3", ("junit.framework.TestCase", "junit.extensions."), ("junit.framework.TestCase",)),
    Framework(
        "TestNG",
        ("org.testng.",),
        ("org.testng.internal.MethodInvocationHelper", "org.testng.internal.invokers.MethodInvocationHelper"),
        ("org.testng.Assert", "org.testng.asserts.", "org.testng.FileAssert"),
    ),
    Framework(
        "Spock",
        ("org.spockframework.runtime.", "org.spockframework.util.ReflectionUtil", "org.spockframework.junit"),
        ("org.spockframework.runtime.SpecInfoBuilder",),
        ("org.spockframework.runtime.SpockRuntime", "org.spockframework.runtime.GroovyRuntimeUtil"),
    ),
    Framework(
        "ScalaTest",
        ("org.scalatest.",),
        ("org.scalatest.Suite",),
        (
            *("org.scalatest.Assertions", "org.scalatest.matchers.", "org.scalatest.concurrent."),
            *("org.scalatest.Inspectors", "org.scalatest.enablers.", "org.scalatest.prop.", "org.scalatest.check."),
        ),
    ),
    Framework(
        "Kotest",
        ("io.kotest.",),
        ("io.kotest.core.spec.Spec",),
        ("io.kotest.assertions.", "io.kotest.matchers.", "io.kotest.property."),
    ),
    Framework(CLOJURE, ("clojure.test$test_var",), (CLOJURE_REPORT,)),
)
"""All of those whose tests an exception leaves."""

FIRST_CLASSES = tuple(name for each in FRAMEWORKS for name in each.first)
"""Classes of which one is loaded before the first test runs."""

_REFLECTION = ("java.lang.reflect.", "jdk.internal.reflect.", "sun.reflect.", "java.lang.invoke.")
_GLUE = (
    *_REFLECTION,
    *("scala.", "kotlin.", "kotlinx.coroutines.", "groovy.lang.", "org.codehaus.groovy.", "org.apache.groovy."),
)
"""What stands between a runner and a test that it calls."""

_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")

_LIBRARIES = (
    *("org.junit.", "junit.", "org.opentest4j.", "org.hamcrest.", "org.assertj.", "com.google.common.truth."),
    *("org.mockito.", "org.testng.", "org.spockframework.", "spock.", "org.scalatest.", "org.scalactic."),
    *("io.kotest.", "kotlin.test.", "clojure.", "org.easymock.", "org.apache.maven.surefire.", "org.fest."),
    *("io.mockk.", "net.bytebuddy.", "org.powermock.", "org.gradle."),
)
"""Assertions, mocks and runners: no code of the program, however deep it stands."""

_THREADS = ("java.util.concurrent.",)

ABORTED = frozenset(
    (
        *("org.opentest4j.IncompleteExecutionException", "org.opentest4j.TestAbortedException"),
        *("org.junit.AssumptionViolatedException", "org.junit.internal.AssumptionViolatedException"),
        *("org.testng.SkipException", "org.scalatest.exceptions.TestCanceledException"),
        *("org.scalatest.exceptions.TestPendingException", "org.scalatest.exceptions.DiscardedEvaluationException"),
        "org.spockframework.runtime.SkipSpecOrFeatureException",
    )
)
"""Exceptions that end a test without a failure: an assumption does not hold."""

COMPARED = {
    "org.opentest4j.AssertionFailedError": ("expected", "actual"),
    "org.junit.ComparisonFailure": ("fExpected", "fActual"),
    "junit.framework.ComparisonFailure": ("fExpected", "fActual"),
}
"""Fields with what was expected and found, by the class of the exception: a text, or JUnit's ``ValueWrapper``."""

COMPUTED_MESSAGES = frozenset(("org.spockframework.runtime.ConditionNotSatisfiedError",))
"""Exceptions that have no message until they are asked for it."""

FEATURE = "$spock_feature_"
"""The beginning of the names of methods that are features of Spock, which have other names in the source."""

_SAID = (
    re.compile(r"expected:\s?<(.*)> but was:\s?<(.*)>", re.DOTALL),  # JUnit 3, 4 and 5, Truth
    re.compile(r"expected \[(.*)\] but found \[(.*)\]", re.DOTALL),  # TestNG
    re.compile(r"\s*Expected: (.*)\n\s*but: was (.*)", re.DOTALL),  # Hamcrest
)


class FoundTest(Record):
    """A test in a stack, by the indices of frames from 0. ``own`` is the deepest frame of the program's code."""

    framework: str
    test: int
    own: int


def is_glue(name: str) -> bool:
    """True if a class only carries calls from one to the other."""
    return name.startswith(_GLUE)


def framework_of(name: str) -> str:
    """Return the framework whose runner a class is; "" if it is none."""
    for each in FRAMEWORKS:
        if name.startswith(each.runners) and not name.startswith(each.but):
            return each.name
    return ""


def is_own(name: str) -> bool:
    """True if a class is neither the JDK's, nor of a test framework, an assertion library, or a language's runtime."""
    return not name.startswith((*_JDK, *_LIBRARIES, *_GLUE))


def stays_inside(name: str) -> bool:
    """True if an exception that a class catches has left no test, wherever it was thrown: the JDK's own catches.

    Reflection carries it on, and so does what runs a test in a thread of its own.
    """
    return name.startswith(_JDK) and not name.startswith((*_REFLECTION, *_THREADS))


def find_test(names: Sequence[str]) -> FoundTest | None:
    """Return the test in a stack; None if there is none."""
    own = -1
    for index, name in enumerate(names):
        if not is_own(name):
            continue
        own = index if own < 0 else own
        caller = next((each for each in names[index + 1 :] if not is_glue(each)), "")
        if framework := framework_of(caller):
            body = index - 1  # what a lambda of the test's class calls
            test = body if body >= own and is_lambda_class(name) and is_own(names[body]) else index
            return FoundTest(framework, test, own)
    return None


def is_inside(names: Sequence[str], caught: int) -> bool:
    """True if an exception that a frame catches certainly leaves no test; ``names`` may be the beginning of a stack."""
    found = find_test(names)
    if found is not None:
        return caught <= found.test
    return caught <= max((index for index, name in enumerate(names) if not is_glue(name)), default=-1)


def compared_in(message: str) -> tuple[str | None, str | None]:
    """Return what a message says was expected and found; None where it does not say so."""
    for form in _SAID:
        if found := form.search(message):
            return found[1].strip(), found[2].strip()
    return None, None
