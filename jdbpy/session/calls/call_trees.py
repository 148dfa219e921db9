"""The calls inside of a method, folded by line: how many, how long, which share of the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jdbpy.errors import UsageError
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.calls.backend import EndedCall
from jdbpy.session.calls.expressions import cost_limits, cost_range, is_of_cost_alone, with_times
from jdbpy.session.calls.observation import Observation, Observations
from jdbpy.session.calls.statistics import Fold
from jdbpy.session.calls.tree_breakpoints import TreeBackend
from jdbpy.session.java.class_names import of_the_runtime
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.calls import CallTree

MOST_FOLLOWED = 200
"""Methods that a deep tree may follow."""

MOST_DEPTH = 10


class ObservedTree(Observation):
    """The trees of some methods' calls."""

    means: TreeBackend

    def __init__(
        self,
        observer: Observations,
        method: str,
        when: str,
        depth: int,
        most: int,
        most_methods: int,
        in_target: bool = False,
        excludes: Sequence[str] = (),
    ) -> None:
        self._condition = with_times(when.strip())
        if self._condition and not is_of_cost_alone(self._condition):
            raise UsageError(
                f"a tree of calls can be limited by $cost only, not by '{when.strip()}'",
                hint="'calls tree METHOD if $cost > 100ms'; nothing is suspended, so no other value is known",
            )
        if not 1 <= depth <= MOST_DEPTH:
            raise UsageError(f"a tree has 1 to {MOST_DEPTH} levels, not {depth}")
        self._limits: list[Callable[[float], bool]] = cost_limits(self._condition) if self._condition else []
        self.depth = depth
        self.most = most
        self.costs = cost_range(self._condition)
        """The shortest and the longest time of calls that are folded, in nanoseconds."""
        self._folds: dict[ObservedMethod, Fold] = {}
        self.folded = 0
        """Calls that the trees are made of."""
        super().__init__(observer, method, most_methods, in_target, excludes)

    def _made_means(self) -> TreeBackend:
        return TreeBackend(self._target, self._take_tree, self.depth)

    async def _add(self, methods: Sequence[ObservedMethod]) -> None:
        await super()._add(methods)
        level = list(methods)
        followed = {each.key for each in methods}
        for _ in range(1, self.depth):
            found = await self._called_by(level)
            level = [each for each in found if each.key not in followed][: max(MOST_FOLLOWED - len(followed), 0)]
            followed.update(each.key for each in level)
            if not level:
                break
            await self.means.follow(level)

    async def _called_by(self, methods: Sequence[ObservedMethod]) -> list[ObservedMethod]:
        """Return the methods of loaded classes of the program that the code of these calls. wire: 2 trips, and those of
        the classes above."""
        sites = [site for each in methods for site in self.means.sites.get(each.key, ())]
        wanted = {
            (site.class_name, site.method, site.descriptor) for site in sites if not of_the_runtime(site.class_name)
        }
        loaded = [each for each in self._target.types.all_known() if not each.is_array]
        by_name: dict[str, list[RefType]] = {}
        for each in loaded:
            by_name.setdefault(each.name, []).append(each)
        found: dict[object, ObservedMethod] = {}
        subtypes = await self._subtypes({name for name, _, _ in wanted}, loaded)
        for class_name, name, descriptor in sorted(wanted):
            for type_ in [*by_name.get(class_name, ()), *subtypes.get(class_name, ())]:
                for owner in (type_, *await self._target.types.ancestors(type_.id)):
                    declared = (await self._target.types.methods([owner.id])).get(owner.id, ())
                    own = [each for each in declared if (each.name, each.signature) == (name, descriptor)]
                    if own and own[0].has_code and not of_the_runtime(owner.name):
                        method = ObservedMethod(owner, own[0])
                        found[method.key] = method
                    if own:
                        break
        return list(found.values())

    async def _subtypes(self, names: set[str], loaded: Sequence[RefType]) -> dict[str, list[RefType]]:
        """Return the loaded classes of the program below these: what a call may come to at run time."""
        found: dict[str, list[RefType]] = {}
        own = [each for each in loaded if not of_the_runtime(each.name)]
        for each in own:
            for above in await self._target.types.ancestors(each.id):
                if above.name in names:
                    found.setdefault(above.name, []).append(each)
        return found

    def _take(self, calls: Sequence[EndedCall]) -> None:
        """Take nothing: all comes as trees."""

    def _take_tree(self, call: EndedCall, fold: Fold) -> None:
        if self.over.is_set():
            return
        self._count(call)
        if call.cost is None or not all(holds(call.cost * 1e3) for holds in self._limits):
            return
        whole = self._folds.get(call.method)
        if whole is None:
            whole = self._folds[call.method] = Fold()
        whole.merge(fold)
        self.folded += 1
        if self.most and self.folded >= self.most:
            self.over.set()
            self.means.drop()

    def enter(self, ended: int, failed: int, found: Mapping[ObservedMethod, Fold]) -> None:
        """Enter calls that the target has folded; so many have ended."""
        if self.over.is_set():
            return
        self.calls += ended
        self.failures += failed
        for method, fold in found.items():
            self._folds.setdefault(method, Fold()).merge(fold)
            self.folded += fold.count
        if self.most and self.folded >= self.most:
            self.over.set()

    @property
    def condition_false(self) -> int:
        """Return the number of calls for which the condition was false."""
        return self.calls - self.folded if self._condition else 0

    def trees(self) -> tuple[CallTree, ...]:
        """Return what was folded so far, the method with the most time first. No trip."""
        ordered = sorted(self._folds.items(), key=lambda item: -item[1].total)
        return tuple(
            CallTree(
                method.owner.name,
                method.method.name,
                fold.count,
                fold.failures,
                fold.minimum,
                fold.maximum,
                fold.total,
                fold.own,
                fold.nodes(fold.total),
            )
            for method, fold in ordered
        )
