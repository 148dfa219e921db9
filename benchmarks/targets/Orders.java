import java.util.ArrayList;
import java.util.List;

/** Classes that refer to each other, with ancestors and overloads: expressions of all kinds at a first stop. */
public class Orders {
    static final Order FIRST = new Order(new Customer("Ann", new Address("Main Street", 7)));
    static int served = 0;
    private final Till till = new Till();
    private Order latest = FIRST;

    interface Priced {
        int price();
    }

    abstract static class Goods implements Priced, Comparable<Goods> {
        final String label;

        Goods(String label) {
            this.label = label;
        }

        public int compareTo(Goods other) {
            return price() - other.price();
        }

        public String toString() {
            return label + " for " + price();
        }
    }

    static class Drink extends Goods {
        private final int cents;

        Drink(String label, int cents) {
            super(label);
            this.cents = cents;
        }

        public int price() {
            return cents;
        }
    }

    static class Address {
        final String street;
        final int number;

        Address(String street, int number) {
            this.street = street;
            this.number = number;
        }
    }

    static class Customer {
        final String name;
        final Address address;

        Customer(String name, Address address) {
            this.name = name;
            this.address = address;
        }

        Address where() {
            return address;
        }
    }

    static class Order {
        final Customer customer;
        final List<Goods> items = new ArrayList<>();
        final Drink[] drinks = {new Drink("tea", 250), new Drink("juice", 300)};

        Order(Customer customer) {
            this.customer = customer;
            items.addAll(List.of(drinks));
        }

        int total() {
            return items.stream().mapToInt(Goods::price).sum();
        }

        int total(int percent) {
            return total() * percent / 100;
        }

        double total(double factor) {
            return total() * factor;
        }

        int total(Goods more) {
            return total() + more.price();
        }
    }

    static class Till {
        int balance = 100;

        int add(int cents) {
            return balance + cents;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Orders orders = new Orders();
        System.out.println("ready");
        while (true) {
            orders.look(FIRST, FIRST.items, FIRST.drinks[0], "text", 42);
            Thread.sleep(20);
        }
    }

    private int spend(int cents) {
        till.balance -= cents;
        return till.balance;
    }

    private void look(Order order, List<Goods> list, Goods goods, Object something, int number) {
        int more = number + 1;
        served += more + list.size() + (goods.price() > 0 ? 1 : 0) + something.hashCode() % 2; // @look
    }
}
