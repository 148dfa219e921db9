package acme;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The program of some pictures: it serves orders until it is killed, or, with the word "audit", it deadlocks. */
public final class Shop {
    record Order(int number, String customer, List<String> items) {}

    private final Stock stock = new Stock();
    private final Journal journal = new Journal();

    public static void main(String[] args) throws Exception {
        Shop shop = new Shop();
        if (args.length > 0) {
            shop.audit();
        }
        for (int number = 1; ; number++) {
            shop.checkout(new Order(number, number % 2 == 0 ? "Ada" : "Ben", List.of("tea", "cake", "cup")));
        }
    }

    long checkout(Order order) throws InterruptedException {
        long total = 0;
        for (String item : order.items()) {
            total += stock.price(item);
        }
        stock.book(order);
        journal.append(order.customer() + " pays " + total);
        return total;
    }

    /** Two threads that take the same two locks, each in an order of its own. */
    private void audit() throws InterruptedException {
        CountDownLatch both = new CountDownLatch(2);
        Thread clerk = new Thread(() -> stock.compare(journal, both), "clerk");
        Thread auditor = new Thread(() -> journal.verify(stock, both), "auditor");
        clerk.start();
        auditor.start();
        clerk.join();
    }
}

final class Stock {
    int price(String item) throws InterruptedException {
        Thread.sleep(2);
        return item.length() * 100;
    }

    void book(Shop.Order order) throws InterruptedException {
        Thread.sleep(25);
    }

    synchronized void compare(Journal journal, CountDownLatch both) {
        meet(both);
        journal.append("compared");
    }

    synchronized int count() {
        return 3;
    }

    static void meet(CountDownLatch both) {
        both.countDown();
        try {
            both.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

final class Journal {
    private int lines;

    synchronized void append(String line) {
        lines++;
    }

    synchronized void verify(Stock stock, CountDownLatch both) {
        Stock.meet(both);
        lines += stock.count();
    }
}
