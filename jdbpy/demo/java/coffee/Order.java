package coffee;

import java.util.List;

/** What one customer has ordered. */
final class Order {
    /** Tells a barista to go home. */
    static final Order LAST = new Order(0, null, List.of());

    final int number;
    final Customer customer;
    final List<Drink> drinks;

    Order(int number, Customer customer, List<Drink> drinks) {
        this.number = number;
        this.customer = customer;
        this.drinks = drinks;
    }
}
