"""The JSON form of what the commands for traces return."""

from __future__ import annotations

from jdbpy import tracing
from jdbpy.cli.commands.tracing import TraceSummaries
from jdbpy.cli.json_form.shape import Field, shape

TRACING_SHAPES = (
    shape(
        "trace-summaries",
        TraceSummaries,
        "What the hits of points that report come to.",
        Field("summaries", "trace-summary[]"),
    ),
    shape(
        "trace-summary",
        tracing.TraceSummary,
        "The hits of one point, by method.",
        Field("number", "integer"),
        Field("name", "string", "trace, logpoint, tracepoint, breakpoint, watchpoint or catchpoint"),
        Field("location", "string", "as it would be typed", "spec"),
        Field("enabled", "boolean"),
        Field("hits", "integer"),
        Field("seconds", "number", "from the first hit to the last"),
        Field("rate", "number", "hits a second"),
        Field("cost", "number", "seconds that the debugger takes for one; 0 when none was measured"),
        Field("methods", "method-tally[]", "the most frequent first"),
        Field("others", "integer", "hits in methods that are not listed", optional=True),
    ),
    shape(
        "method-tally",
        tracing.MethodTally,
        "What happened in a method.",
        Field("class", "string", source="class_name"),
        Field("method", "string"),
        Field("signature", "string"),
        Field("happened", "string", "hit, entered, exited, read, changed, thrown, wanted, got, waiting, waited"),
        Field("count", "integer"),
        Field("rate", "number", "a second"),
        Field("values", "value-count[]", "returned, assigned or thrown, the most frequent first", optional=True),
        Field("distinct", "integer", "different values that are known", optional=True),
        Field("forgot", "boolean", "there were more, of which the rare were forgotten", optional=True),
    ),
    shape(
        "value-count",
        tracing.ValueCount,
        "A value and how often it came.",
        Field("value", "string", "as Java would write the literal; the class of an exception", "text"),
        Field("count", "integer"),
    ),
)
