"""Names of the JDK's own classes by Java release: the one table of differences that the code uses.

A row is a thing of the JDK that was given another name, or another place, at some release. docs/jdk.md tells all of
them, and those of fields, in words; comments in the code name a fact by its first words there.
"""

from __future__ import annotations

from jdbpy.record import Record


class JdkName(Record):
    """A name of the JDK by release: each ``names`` is the first release that has it, and the name; oldest first."""

    what: str
    names: tuple[tuple[int, str], ...]

    def on(self, release: int) -> str:
        """Return the name on that release; that of the oldest known one on what is older still."""
        return next((name for since, name in reversed(self.names) if since <= release), self.names[0][1])


UNSAFE = JdkName("The Unsafe that defines classes", ((8, "sun.misc.Unsafe"), (9, "jdk.internal.misc.Unsafe")))
MANAGEMENT = JdkName(
    "The class that loads the library of flags and diagnostic commands",
    ((8, "sun.management.ManagementFactoryHelper"), (9, "com.sun.management.internal.PlatformMBeanProviderImpl")),
)
FLAG = JdkName("A flag of HotSpot", ((8, "sun.management.Flag"), (9, "com.sun.management.internal.Flag")))
DIAGNOSTIC_COMMANDS = JdkName(
    "The bean that runs diagnostic commands",
    ((8, "sun.management.DiagnosticCommandImpl"), (9, "com.sun.management.internal.DiagnosticCommandImpl")),
)
DIAGNOSTIC_COMMANDS_OWNER = JdkName(
    "The class that keeps the bean of diagnostic commands",
    ((8, "sun.management.ManagementFactoryHelper"), (9, "com.sun.management.internal.DiagnosticCommandImpl")),
)
DIAGNOSTIC_COMMANDS_FIELD = JdkName(
    "The field that keeps the bean of diagnostic commands", ((8, "hsDiagCommandMBean"), (9, "diagCommandMBean"))
)
APP_LOADER = JdkName(
    "The class loader of the class path",
    ((8, "sun.misc.Launcher$AppClassLoader"), (9, "jdk.internal.loader.ClassLoaders$AppClassLoader")),
)
READER = JdkName(
    "The method that reads so many bytes of a stream",
    (
        (8, "sun.misc.IOUtils.readFully"),
        (9, "sun.security.util.IOUtils.readFully"),
        (11, "java.io.InputStream.readNBytes"),
    ),
)

ROWS = (
    UNSAFE,
    MANAGEMENT,
    FLAG,
    DIAGNOSTIC_COMMANDS,
    DIAGNOSTIC_COMMANDS_OWNER,
    DIAGNOSTIC_COMMANDS_FIELD,
    APP_LOADER,
    READER,
)
"""All rows, for docs/jdk.md."""

TESTED = "HotSpot of Java 8, 11, 17, 21 and 25"
"""What the tests run on, for messages about a JVM that keeps something elsewhere."""

BEANS_OF_ALL_INTERFACES = 9
"""The first release whose ``getPlatformMXBean`` gives the bean of threads by HotSpot's own interface."""

THREAD_HOLDER = 19
"""The first release that keeps daemon and priority of a thread beside it (``Thread$FieldHolder``)."""

DUMPS_THAT_CRASH = 25
"""The first release in which a dump of all threads may crash the JVM while virtual threads are mounted or unmounted
(JDK-8364343): it is safe while all are suspended. Before, it waits for one that is being mounted, for ever if it is
suspended there: it is safe while none are."""

INTERRUPTED_FIELD = 14
"""The first release whose threads have a field that says whether they are interrupted; before, only the JVM knows."""
