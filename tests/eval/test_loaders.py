"""One class name, several loaders: members are taken from the object's own class, names mean what the frame's loader
knows by them."""

from __future__ import annotations

import re

import pytest

from jdbpy.errors import EvalError, Thrown
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java

SOURCE = """\
import java.io.InputStream;
import java.util.List;

public class Program {
    public static void main(String[] args) throws Exception {
        Order mine = new Order("mine", 1);
        Order.made = 10;
        Object other = make("second", "Order", "theirs", 2), third = make("third", "Order", "last", 3);
        for (int i = 0; i < 40; i++) weigh(i % 2 == 0 ? mine.with(i) : ((Runs) other).with(i), i);
        Shelf shelf = new Shelf(mine);
        Object[] both = {mine, other};
        ((Runs) make("second", "User", "user", 4)).run(shelf);
        ((Runs) make("second", "User", "again", 5)).run(shelf);
        ((Runs) make("none", "Lone", "lone", 6)).run(shelf);
        System.out.println(mine.total + " " + other + third + both.length);  // @here
    }
    public interface Runs { void run(Shelf shelf); Object with(int total); }

    public static class Shelf {
        public Order order; public Item item;
        Shelf(Order order) { this.order = order; this.item = order.item; }
        public Order given() { return order; }
    }

    static void weigh(Object crate, int i) {
        int sum = i;  // @weigh
    }
    static java.util.Map<String, ClassLoader> loaders = new java.util.HashMap<>();
    static Object make(String loader, String name, String word, int total) throws Exception {
        ClassLoader used = loaders.computeIfAbsent(loader, Own::new);
        Class<?> made = Class.forName(name, true, used);
        var constructor = made.getDeclaredConstructor(String.class, int.class);
        constructor.setAccessible(true);
        return constructor.newInstance(word, total);
    }
}

class Own extends ClassLoader {
    private final boolean orders;
    Own(String name) { super(Program.class.getClassLoader()); orders = !name.equals("none"); }
    @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found != null) return found;
            if (!List.of("Order", "Item", "User", "Lone", "Late").contains(name)) return super.loadClass(name, resolve);
            if (!orders && !name.equals("Lone")) throw new ClassNotFoundException(name);
            try (InputStream in = getParent().getResourceAsStream(name + ".class")) {
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (java.io.IOException error) { throw new ClassNotFoundException(name, error); }
        }
    }
}

class Item {
    String word;
    Item(String word) { this.word = word; }
    String said() { return word + "!"; }
}

class Order implements Program.Runs {
    static int made = 1;
    String name; int total; Item item; Order next; Order[] orders = new Order[1]; List<Order> listed;
    public Order(String name, int total) {
        this.name = name; this.total = total; this.item = new Item(name + "'s"); orders[0] = this; made += total;
        listed = List.of(this);
    }
    public Object with(int total) { this.total = total; return this; }
    public void run(Program.Shelf shelf) { }
    String tag() { return name + total; }
    Item handed() { return item; }
    int gap(Order other) { return total - other.total; }
    int weight(Item... items) { return items.length; }
}

class Late { static int started = 40; static int more() { return 2; } }

class User implements Program.Runs {
    Order order; Order[] many;
    public User(String name, int total) { order = new Order(name, total); many = new Order[] {order}; }
    public Object with(int total) { return this; }
    public void run(Program.Shelf shelf) {
        System.out.println(order.tag());  // @user
    }
}

class Lone implements Program.Runs {
    public Lone(String name, int total) { }
    public Object with(int total) { return this; }
    public void run(Program.Shelf shelf) {
        System.out.println("lone");  // @lone
    }
}
"""


async def answers(d: Debugging, expressions: list[str]) -> dict[str, str]:
    """What expressions give: their texts, or what is wrong with them."""
    found = {}
    for each in expressions:
        try:
            found[each] = (await d.session.values.evaluate(each)).text
        except (EvalError, Thrown) as error:
            found[each] = error.message
    return found


OF_THE_OBJECT = {
    "other.name": '"theirs"',
    "other.total": "39",
    "mine.total + other.total": "77",
    "mine.name + other.name + third.name": '"minetheirslast"',
    "mine.tag() + other.tag()": '"mine38theirs39"',
    "other.tag()": '"theirs39"',
    "other.item.word": '"theirs\'s"',
    "other.item.said()": '"theirs\'s!"',
    "other.handed().said()": '"theirs\'s!"',
    "other.orders[0].name": '"theirs"',
    "other.orders[0].tag()": '"theirs39"',
    "other.orders.length": "1",
    "other.listed[0].name": '"theirs"',
    "other.gap(other)": "0",
    "other.weight(other.item, other.item)": "2",
    "both[1].item.said()": '"theirs\'s!"',
    "both[0].item.said()": '"mine\'s!"',
    "third.name": '"last"',
    "third.item.said()": '"last\'s!"',
    "other.made": "12",
    "third.made": "4",
    "mine.made": "10",
    "Order.made": "10",
    "((Order) both[0]).name": '"mine"',
    "other instanceof Order": "false",
    "mine instanceof Order": "true",
    "other.item instanceof Item": "false",
    "other.orders instanceof Order[]": "false",
}


async def test_members_are_those_of_the_object_s_class(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("here")
        assert await answers(d, list(OF_THE_OBJECT)) == OF_THE_OBJECT


async def test_what_does_not_fit_is_said_to_be_of_another_loader(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("here")
        assert await answers(d, ["(Order) other", "other.gap(mine)", "mine.gap(other)"]) == {
            "(Order) other": "java.lang.ClassCastException: class Order cannot be cast to class Order"
            " of another class loader",
            "other.gap(mine)": "incompatible types: Order cannot be converted to Order of another class loader",
            "mine.gap(other)": "incompatible types: Order cannot be converted to Order of another class loader",
        }
        with pytest.raises(EvalError, match="Item cannot be converted to Item of another class loader"):
            await d.session.values.evaluate("other.item = mine.item")


async def test_fields_are_set_in_the_object(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("here")
        evaluate = d.session.values.evaluate
        for text in ("other.name = mine.name + 2", "other.total += mine.total", "third.item = null", "other.made = 70"):
            await evaluate(text)
        await evaluate('other.orders[0].item.word = "new"')
        assert await answers(d, ["other.tag()", "third.item", "mine.made", "other.made", "other.item.said()"]) == {
            "other.tag()": '"mine277"',
            "third.item": "null",
            "mine.made": "10",
            "other.made": "70",
            "other.item.said()": '"new!"',
        }


OF_THE_FRAME = {
    "Order.made": "7",
    "order.tag()": '"user4"',
    "shelf.order.name": '"mine"',
    "shelf.order.tag()": '"mine38"',
    "shelf.given().item.said()": '"mine\'s!"',
    "shelf.order.orders[0].total + order.orders[0].total": "42",
    "shelf.item.word + order.item.word": "\"mine'suser's\"",
    "shelf.order instanceof Order": "incompatible types: Order cannot be converted to Order of another class loader",
    "shelf.order.made": "10",
    "order.made": "7",
    "many[0].gap(order)": "0",
}


async def test_names_mean_what_the_frame_s_loader_knows(jvm: Jvm) -> None:
    """The class ``Shelf`` is the parent loader's, and so is its ``Order``; ``User`` has one of its own."""
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("user", class_name="User")
        assert await answers(d, list(OF_THE_FRAME)) == OF_THE_FRAME
        assert await answers(d, ["Late.started + Late.more()"]) == {"Late.started + Late.more()": "42"}


async def test_a_name_that_the_frame_s_loader_does_not_decide_is_ambiguous(jvm: Jvm) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.run_to("lone", class_name="Lone")
        with pytest.raises(EvalError) as raised:
            await d.session.values.evaluate("Order.made")
        said = "reference to Order is ambiguous: classes of several loaders have that name: "
        assert re.fullmatch(said + r"Own@\d+, Own@\d+, app", raised.value.message)
        assert await answers(d, ["shelf.order.tag()", "shelf.order.made"]) == {
            "shelf.order.tag()": '"mine38"',
            "shelf.order.made": "10",
        }


@pytest.mark.parametrize("woven", [False, True])
@pytest.mark.parametrize(
    ("condition", "at"),
    [("crate.total == 25", 25), ('Order.made == 10 && crate.name.equals("theirs") && i > 20', 21)],
)
async def test_conditions_read_the_object_s_own_field(jvm: Jvm, woven: bool, condition: str, at: int) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        await d.session.breakpoints.add(d.at("weigh"), condition=condition, woven=woven)
        await d.resume()
        await d.wait_stop("breakpoint", at="weigh")
        assert (await d.session.values.evaluate("i + crate.name")).text == f'"{at}theirs"'


@pytest.mark.parametrize("woven", [False, True])
async def test_conditions_follow_a_shared_class_to_what_its_loader_means(jvm: Jvm, woven: bool) -> None:
    async with debug(jvm, inline(SOURCE)) as d:
        condition = 'shelf.order.total == 38 && order.total == 5 && shelf.item.word.equals("mine\'s")'
        await d.session.breakpoints.add(d.at("user", "User"), condition=condition, woven=woven)
        await d.resume()
        await d.wait_stop("breakpoint", at="user")
        assert (await d.session.values.evaluate("order.name")).text == '"again"'
