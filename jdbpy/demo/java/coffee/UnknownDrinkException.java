package coffee;

/** Thrown for a drink that is not on the menu. */
final class UnknownDrinkException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownDrinkException(String drink) {
        super("no " + drink + " on the menu");
    }
}
