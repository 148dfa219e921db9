package coffee;

/** What the bar sells; prices are in cents. */
enum Drink {
    ESPRESSO(220),
    CAPPUCCINO(380),
    FLAT_WHITE(410),
    COCOA(350);

    final int price;

    Drink(int price) {
        this.price = price;
    }
}
