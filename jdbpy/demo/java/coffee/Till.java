package coffee;

/** Adds up and holds the money, in cents. */
final class Till {
    private static final int REGULARS_DISCOUNT = 10; // percent

    private int balance;

    /** What an order costs: the drinks, less what regulars are spared. */
    int total(Order order) {
        int sum = 0;
        for (Drink drink : order.drinks) {
            sum += drink.price;
        }
        int discount = order.customer.regular ? sum * REGULARS_DISCOUNT / 100 : 0;
        return sum - discount;
    }

    void take(int cents) {
        balance += cents;
    }

    int balance() {
        return balance;
    }

    static String euros(int cents) {
        return String.format("%d.%02d", cents / 100, cents % 100);
    }
}
