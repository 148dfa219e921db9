package coffee;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Knows the drinks by name and makes orders of wishes. */
final class Menu {
    private final Map<String, Drink> drinks = new HashMap<>();
    private int lastNumber;

    Menu() {
        for (Drink drink : Drink.values()) {
            drinks.put(drink.name().toLowerCase().replace('_', ' '), drink);
        }
    }

    Order order(Customer customer) {
        List<Drink> found = new ArrayList<>();
        for (String wish : customer.wishes) {
            Drink drink = drinks.get(wish);
            if (drink == null) {
                throw new UnknownDrinkException(wish);
            }
            found.add(drink);
        }
        return new Order(++lastNumber, customer, found);
    }
}
