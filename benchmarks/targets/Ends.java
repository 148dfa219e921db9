import java.io.IOException;

/** Prints "ready", waits for a line, tells the time in milliseconds ("ends at 1700000000000") and ends with status 3. */
public class Ends {
    public static void main(String[] args) throws IOException {
        System.out.println("ready");
        System.in.read();
        System.out.println("ends at " + System.currentTimeMillis());
        System.exit(3);
    }
}
