package coffee;

import java.util.List;

/** Somebody who wants something to drink. */
final class Customer {
    final String name;
    final boolean regular;
    final List<String> wishes;

    Customer(String name, boolean regular, List<String> wishes) {
        this.name = name;
        this.regular = regular;
        this.wishes = wishes;
    }
}
