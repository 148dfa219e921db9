package coffee;

import java.util.concurrent.BlockingQueue;

/** A thread that takes orders from the kitchen and brews them, which takes its time. */
final class Barista extends Thread {
    private static final int MILLIS_A_DRINK = 40;

    private final BlockingQueue<Order> kitchen;
    private int brewed;

    Barista(String name, BlockingQueue<Order> kitchen) {
        super(name);
        this.kitchen = kitchen;
    }

    @Override
    public void run() {
        try {
            for (Order order = kitchen.take(); order != Order.LAST; order = kitchen.take()) {
                for (Drink drink : order.drinks) {
                    brew(drink);
                }
                System.out.println(getName() + " calls: " + order.customer.name + "!");
            }
        } catch (InterruptedException e) {
            System.out.println(getName() + " is sent home");
        }
    }

    private void brew(Drink drink) throws InterruptedException {
        Thread.sleep(MILLIS_A_DRINK + drink.price / 10);
        brewed++;
    }
}
