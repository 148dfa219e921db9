package coffee;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A coffee bar: customers order, baristas brew, a till adds up. It is there to be debugged: it has several threads,
 * nested objects, collections, something slow, and an order that cannot be served.
 */
public final class CoffeeBar {
    private final Menu menu = new Menu();
    private final Till till = new Till();
    private final BlockingQueue<Order> kitchen = new LinkedBlockingQueue<>();
    private final List<Barista> baristas = List.of(new Barista("Rosa", kitchen), new Barista("Marco", kitchen));

    public static void main(String[] args) throws InterruptedException {
        CoffeeBar bar = new CoffeeBar();
        bar.open();
        for (Customer customer : guests()) {
            bar.serve(customer);
        }
        bar.close();
    }

    private static List<Customer> guests() {
        List<Customer> guests = new ArrayList<>();
        guests.add(new Customer("Ada", true, List.of("espresso", "cappuccino")));
        guests.add(new Customer("Ben", false, List.of("flat white", "espresso", "cocoa")));
        guests.add(new Customer("Cleo", false, List.of("lapsang souchong")));
        guests.add(new Customer("Dan", true, List.of("cocoa")));
        return guests;
    }

    private void open() {
        for (Barista barista : baristas) {
            barista.start();
        }
        System.out.println("The bar is open.");
    }

    private void serve(Customer customer) throws InterruptedException {
        try {
            Order order = menu.order(customer);
            int cents = till.total(order);
            till.take(cents);
            System.out.println(customer.name + " pays " + Till.euros(cents));
            kitchen.put(order);
        } catch (UnknownDrinkException e) {
            System.out.println(customer.name + " leaves: " + e.getMessage());
        }
    }

    private void close() throws InterruptedException {
        for (Barista barista : baristas) {
            kitchen.put(Order.LAST);
        }
        for (Barista barista : baristas) {
            barista.join();
        }
        System.out.println("The bar is closed, the till holds " + Till.euros(till.balance()));
    }
}
