"""How the evaluator may act on the target: the user's to set, once for a session or for one evaluation."""

from __future__ import annotations

from jdbpy.record import Record


class InvokeRules(Record):
    """How methods are run. ``limit`` is in seconds for each call; ``others_run`` lets the other threads run meanwhile;
    ``javac`` lets lambdas and anonymous classes be compiled here and defined in the target."""

    limit: float = 10.0
    others_run: bool = False
    javac: bool = False

    def changed(self, limit: float | None, others_run: bool | None) -> InvokeRules:
        """These rules with what is given in place of their own."""
        return InvokeRules(
            self.limit if limit is None else limit,
            self.others_run if others_run is None else others_run,
            self.javac,
        )
