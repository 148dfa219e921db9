"""The component ``session.mbeans``: the MBeans of the target's platform server.

Owns how they are found by name, described, read, set and called. What their values become is ``management_values``'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import JdbpyError, Thrown, UsageError
from jdbpy.record import Record
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.eval.utility_calls import FACTORY, CallRunner, UtilityCalls, on
from jdbpy.session.inspect.management_values import ValueReading, argument
from jdbpy.session.java.class_names import like
from jdbpy.session.java.signatures import java_name
from jdbpy.session.model.operating import MBeanAttribute, MBeanDetail, MBeanOperation, OperationResult

MOST = 5_000
"""MBeans that are listed."""

MOST_READ = 100
"""MBeans whose attributes are read for one question."""

_SERVER = "javax.management.MBeanServer"
_NAME = "javax.management.ObjectName"
_INFO = "javax.management.MBeanInfo"
_FEATURE = "javax.management.MBeanFeatureInfo"
_ATTRIBUTE = "javax.management.MBeanAttributeInfo"
_OPERATION = "javax.management.MBeanOperationInfo"
_PARAMETER = "javax.management.MBeanParameterInfo"
_TEXT = "()Ljava/lang/String;"
_OF_NAME = "(Ljavax/management/ObjectName;"


class _Bean(Record):
    """An MBean: its name as an object and as text."""

    obj: Ref
    name: str


class _Members(Record):
    """What an MBean offers; of operations the types of their parameters as the MBean spells them."""

    class_name: str
    attributes: tuple[MBeanAttribute, ...]
    operations: tuple[MBeanOperation, ...]
    spelled: tuple[tuple[str, ...], ...]
    attribute_types: tuple[str, ...]


class MBeanReader:
    """The MBeans of one target. Runs methods in it: StateError when none can be run."""

    def __init__(self, runner: CallRunner) -> None:
        self._runner = runner
        self._names: tuple[str, ...] = ()
        self._known_members: dict[str, tuple[tuple[str, str], ...]] = {}

    def known_names(self) -> tuple[str, ...]:
        """Return the names that were listed last; for completion. No trip."""
        return self._names

    def known_members(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Return, for each MBean that was looked at, the names of its members with what they are; for completion. No
        trip."""
        return dict(self._known_members)

    async def names(self, pattern: str = "") -> tuple[str, ...]:
        """Return the names of the MBeans that a pattern fits: `*` stands for anything, other text may stand anywhere
        in a name. wire: 9 trips over a link, 5 again."""
        async with self._runner.calls("listing MBeans") as calls:
            return tuple(each.name for each in await self._find(calls, await self._server(calls), pattern))

    async def detail(self, pattern: str, member: str = "", *, values: bool = True) -> tuple[MBeanDetail, ...]:
        """Return the MBeans that a pattern fits with their attributes and operations, all or those that ``member``
        fits, which must be one at least. Raises UsageError where nothing fits. wire: 20 trips for each MBean.
        """
        async with self._runner.calls("reading MBeans") as calls:
            server = await self._server(calls)
            found = await self._some(calls, server, pattern)
            if len(found) > MOST_READ:
                raise UsageError(
                    f"{len(found)} MBeans fit '{pattern}', and {MOST_READ} are read at most", hint="name fewer"
                )
            details = []
            for each in found:
                members = await self._members(calls, server, each)
                attributes = [one for one in members.attributes if not member or _fits(member, one.name)]
                operations = [one for one in members.operations if not member or _fits(member, one.name)]
                if attributes or operations or not member:
                    read = await self._read(calls, server, each, attributes) if values else attributes
                    details.append(MBeanDetail(each.name, members.class_name, tuple(read), tuple(operations)))
            if not details:
                raise self._no_member(found[0], member)
            return tuple(details)

    async def set(self, pattern: str, attribute: str, text: str) -> MBeanDetail:
        """Set an attribute of the one MBean that a pattern fits, and return it as it is then.

        Raises UsageError for one that cannot be set, a text that is not of its type, and what the MBean refuses.
        wire: 30 trips over a link.
        """
        async with self._runner.calls("setting an attribute of an MBean") as calls:
            server = await self._server(calls)
            bean = await self._one(calls, server, pattern)
            members = await self._members(calls, server, bean)
            known = {one.name: (one, spelled) for one, spelled in _with_types(members)}
            if attribute not in known:
                raise self._no_member(bean, attribute)
            one, spelled = known[attribute]
            if not one.writable:
                raise UsageError(f"the attribute {attribute} of {bean.name} cannot be set", code="NOT_WRITEABLE")
            value = await argument(calls, spelled, text)
            signature = "(Ljava/lang/String;Ljava/lang/Object;)V"
            [name] = await calls.strings([attribute])
            made = await calls.new("javax.management.Attribute", signature, name, value)
            setting = f"{_OF_NAME}Ljavax/management/Attribute;)V"
            try:
                await calls.call(server, _SERVER, "setAttribute", setting, bean.obj, made)
            except Thrown as error:
                raise UsageError(
                    f"{bean.name} refuses it: {error.message}", hint="its own code has thrown that", code="REFUSED"
                ) from error
            read = await self._read(calls, server, bean, [one])
            return MBeanDetail(bean.name, members.class_name, tuple(read))

    async def call(self, pattern: str, operation: str, args: Sequence[str] = ()) -> OperationResult:
        """Call an operation of the one MBean that a pattern fits, with arguments as texts.

        Raises UsageError where it has none of that name with so many parameters, and Thrown for what it throws. wire:
        30 trips over a link.
        """
        async with self._runner.calls("calling an operation of an MBean") as calls:
            server = await self._server(calls)
            bean = await self._one(calls, server, pattern)
            members = await self._members(calls, server, bean)
            named = [
                (one, spelled)
                for one, spelled in zip(members.operations, members.spelled, strict=True)
                if one.name == operation
            ]
            if not named:
                raise self._no_member(bean, operation)
            chosen = [each for each in named if len(each[1]) == len(args)]
            if not chosen:
                known = "; ".join(f"{one.name}({', '.join(one.parameters)})" for one, _ in named)
                raise UsageError(f"{operation} takes other arguments than these {len(args)}", hint=f"there is {known}")
            one, spelled, given = await self._given(calls, chosen, args)
            objects = await calls.array_of("java.lang.Object[]", given)
            types = await calls.array_of("java.lang.String[]", await calls.strings(spelled), "Ljava/lang/String;")
            signature = f"{_OF_NAME}Ljava/lang/String;[Ljava/lang/Object;[Ljava/lang/String;)Ljava/lang/Object;"
            [name] = await calls.strings([operation])
            invoking = on(server, _SERVER, "invoke", signature, bean.obj, name, objects, types)
            [result] = await calls.all(invoking.replace(once=True))
            [value] = await ValueReading(calls).plain([result])
            return OperationResult(bean.name, operation, one.type, value)

    async def _given(
        self,
        calls: UtilityCalls,
        chosen: Sequence[tuple[MBeanOperation, tuple[str, ...]]],
        args: Sequence[str],
    ) -> tuple[MBeanOperation, tuple[str, ...], list[Raw]]:
        """Return the first operation whose parameters can take the texts, with the objects made of them."""
        refused: UsageError | None = None
        for one, spelled in chosen:
            try:
                return one, spelled, [await argument(calls, *each) for each in zip(spelled, args, strict=True)]
            except UsageError as error:
                refused = refused or error
        assert refused is not None
        raise refused

    async def _server(self, calls: UtilityCalls) -> Raw:
        await calls.expect(load=[FACTORY, _SERVER, _NAME])
        signature = "()Ljavax/management/MBeanServer;"
        server = await calls.static(FACTORY, "getPlatformMBeanServer", signature)
        return calls.declare(_SERVER, server)

    async def _find(self, calls: UtilityCalls, server: Raw, pattern: str) -> list[_Bean]:
        signature = f"{_OF_NAME}Ljavax/management/QueryExp;)Ljava/util/Set;"
        listed = await calls.call(server, _SERVER, "queryNames", signature, None, None)
        objects = await calls.elements(listed, MOST)
        calls.declare(_NAME, *objects)
        texts = await calls.texts(await calls.all(*(on(each, _NAME, "toString", _TEXT) for each in objects)))
        beans = [_Bean(each, text) for each, text in zip(objects, texts, strict=True) if isinstance(each, Ref) and text]
        beans.sort(key=lambda each: each.name)
        self._names = tuple(each.name for each in beans)
        same = [each for each in beans if each.name == pattern]
        return same or [each for each in beans if like(pattern, each.name)]

    async def _some(self, calls: UtilityCalls, server: Raw, pattern: str) -> list[_Bean]:
        found = await self._find(calls, server, pattern)
        if not found:
            raise UsageError(f"no MBean like '{pattern}'", hint="'mbean' lists them", code="NO_SUCH_MBEAN")
        return found

    async def _one(self, calls: UtilityCalls, server: Raw, pattern: str) -> _Bean:
        found = await self._some(calls, server, pattern)
        if len(found) > 1:
            names = ", ".join(each.name for each in found[:3])
            more = f" and {len(found) - 3} more" if len(found) > 3 else ""
            raise UsageError(
                f"{len(found)} MBeans fit '{pattern}': {names}{more}", hint="name one", code="AMBIGUOUS_MBEAN"
            )
        return found[0]

    def _no_member(self, bean: _Bean, member: str) -> UsageError:
        hint = f"'mbean \"{bean.name}\"' lists what it has"
        return UsageError(f"{bean.name} has no attribute or operation {member}", hint=hint, code="NO_SUCH_MEMBER")

    async def _members(self, calls: UtilityCalls, server: Raw, bean: _Bean) -> _Members:
        """Return what an MBean offers, without values. wire: 10 trips."""
        info = await calls.call(server, _SERVER, "getMBeanInfo", f"{_OF_NAME})Ljavax/management/MBeanInfo;", bean.obj)
        class_name, *arrays = await calls.all(
            on(info, _INFO, "getClassName", _TEXT),
            on(info, _INFO, "getAttributes", "()[Ljavax/management/MBeanAttributeInfo;"),
            on(info, _INFO, "getOperations", "()[Ljavax/management/MBeanOperationInfo;"),
        )
        attributes, operations = await calls.arrays(arrays)
        calls.declare(_ATTRIBUTE, *attributes)
        calls.declare(_OPERATION, *operations)
        about = await calls.fields(attributes, _ATTRIBUTE, "attributeType", "isRead", "isWrite")
        offered = await calls.fields(operations, _OPERATION, "type", "signature")
        parameters = await calls.arrays([row[1] for row in offered])
        flat = [one for each in parameters for one in each]
        features = [*attributes, *operations, *flat]
        calls.declare(_FEATURE, *features)
        calls.declare(_PARAMETER, *flat)
        described = await calls.fields(features, _FEATURE, "name", "description")
        typed = await calls.fields(flat, _PARAMETER, "type")
        strings = [
            class_name,
            *(row[0] for row in (*about, *offered, *typed)),
            *(one for row in described for one in row),
        ]
        texts = iter([each or "" for each in await calls.texts(strings)])
        of_class = next(texts)
        types = [next(texts) for _ in about]
        results = [next(texts) for _ in offered]
        kinds = iter([next(texts) for _ in typed])
        words = iter([(next(texts), next(texts)) for _ in described])
        made = tuple(
            MBeanAttribute(name, _words(kind), bool(row[2]), readable=bool(row[1]), description=_useful(name, text))
            for (name, text), kind, row in zip([next(words) for _ in about], types, about, strict=True)
        )
        heads = [next(words) for _ in offered]
        names = [[next(words)[0] for _ in each] for each in parameters]
        spelled = tuple(tuple(next(kinds) for _ in each) for each in parameters)
        can = tuple(
            MBeanOperation(
                name,
                _words(result),
                tuple(f"{_words(kind)} {called}" for kind, called in zip(own, of, strict=True)),
                _useful(name, text),
            )
            for (name, text), result, own, of in zip(heads, results, spelled, names, strict=True)
        )
        self._known_members[bean.name] = (
            *((each.name, f"attribute {each.type}") for each in made),
            *((each.name, "operation") for each in can),
        )
        return _Members(of_class, made, can, spelled, tuple(types))

    async def _read(
        self, calls: UtilityCalls, server: Raw, bean: _Bean, attributes: Sequence[MBeanAttribute]
    ) -> list[MBeanAttribute]:
        """Return attributes with their values. wire: 1 trip over a link, and some 6 a level of them."""
        signature = f"{_OF_NAME}Ljava/lang/String;)Ljava/lang/Object;"
        names = await calls.strings([each.name for each in attributes])
        asked = [(each, name) for each, name in zip(attributes, names, strict=True) if each.readable]
        outcomes = await calls.outcomes(
            *(on(server, _SERVER, "getAttribute", signature, bean.obj, name) for _, name in asked)
        )
        values = await ValueReading(calls).plain([None if isinstance(each, JdbpyError) else each for each in outcomes])
        read = {
            each.name: each.replace(value=value, error=_why(outcome))
            for (each, _), outcome, value in zip(asked, outcomes, values, strict=True)
        }
        return [read.get(each.name, each) for each in attributes]


def _with_types(members: _Members) -> list[tuple[MBeanAttribute, str]]:
    return list(zip(members.attributes, members.attribute_types, strict=True))


def _fits(pattern: str, name: str) -> bool:
    return like(pattern, name) if "*" in pattern or "?" in pattern else pattern == name


def _words(type_name: str) -> str:
    return java_name(type_name.replace(".", "/")) if type_name.startswith("[") else type_name


def _useful(name: str, description: str) -> str:
    """Return a description that says more than the name."""
    return "" if description in (name, "Information on the management interface of the MBean") else description


def _why(outcome: Raw | JdbpyError) -> str:
    if not isinstance(outcome, JdbpyError):
        return ""
    return outcome.message if not isinstance(outcome, Thrown) else str(outcome.exception_message or outcome.message)
