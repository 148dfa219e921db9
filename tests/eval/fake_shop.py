"""A few orders in a fake target, for tests of the interpreter, and how a test looks at a value."""

from __future__ import annotations

from jdbpy.errors import Thrown
from jdbpy.session.eval.operands import Elements, LocalBox, LocalString, Operand
from jdbpy.session.eval.target import Raw, Ref
from tests.eval.fake import FakeTarget

ORDER = "LOrder;"


def shop() -> FakeTarget:
    """Orders, a special one, and a frame of Main with a few variables."""
    fake = FakeTarget()
    calls: list[str] = []

    def total(this: Raw) -> Raw:
        calls.append("total")
        return fake.object(this).fields["total"]

    fake.define(
        "Order",
        fields="I total|LOrder; next|[LOrder; parts|Ljava/lang/String; id|static I count",
        methods={
            "total()I": total,
            "fails()I": lambda this: _throw("java.lang.IllegalStateException", "no"),
            "toString()Ljava/lang/String;": lambda this: fake.string(f"Order{fake.object(this).fields['total']}"),
            "<init>(I)V": lambda this, total: this.fields.update(total=total),
        },
    )
    fake.define("Special", above=("Order",), fields="I bonus", methods={"bonus()I": lambda this: 99})
    fake.define("Main", fields="LOrder; order|I size|static I limit")
    last = fake.new("Order", total=30, id=fake.string("last"))
    first = fake.new("Order", total=10, next=last, id=fake.string("first"))
    special = fake.new("Special", total=20, bonus=5, next=first)
    fake.object(first).fields["parts"] = fake.array("Order[]", last, special, None)
    fake.this = fake.new("Main", order=first, size=3)
    fake.statics["Main", "limit"] = 50
    fake.local("order", ORDER, first)
    fake.local("other", ORDER, special)
    fake.local("object", "Ljava/lang/Object;", special)
    fake.local("none", ORDER, None)
    fake.local("n", "I", 7)
    fake.local("ints", "[I", fake.array("int[]", 5, 3, 8))
    fake.local("orders", "[LOrder;", fake.array("Order[]", first, special, last))
    fake.local("list", "Ljava/util/List;", fake.list_of(first, special, last), "Ljava/util/List<LOrder;>;")
    fake.local("things", "Ljava/util/List;", fake.list_of(first, fake.small_box("Integer", 4), None))
    fake.local("text", "Ljava/lang/String;", fake.string("hello"))
    fake.local("boxed", "Ljava/lang/Integer;", fake.box("Integer", 1000))
    return fake


def plain(fake: FakeTarget, operand: Operand) -> object:
    """The value of an operand as Python has it: the text of strings, the total of orders."""
    match operand.value:
        case LocalString(text=text):
            return text
        case LocalBox(value=value):
            return value
        case Elements(elements=elements):
            return [plain(fake, element) for element in elements]
        case Ref() as ref:
            found = fake.object(ref)
            return found.fields.get("total", found.text or found.fields.get("value") or found.class_name)
    return operand.value


def _throw(kind: str, message: str) -> Raw:
    raise Thrown(kind, message)
