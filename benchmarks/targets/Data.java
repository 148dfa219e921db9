import java.util.HashMap;
import java.util.Map;

/** A method with 23 local variables, an object of 42 fields, a String[2000]: looked at again and again. */
public class Data {
    int i0 = 0, i1 = 1, i2 = 2, i3 = 3, i4 = 4, i5 = 5, i6 = 6, i7 = 7, i8 = 8, i9 = 9;
    long l0 = 0, l1 = 1, l2 = 2, l3 = 3, l4 = 4, l5 = 5, l6 = 6, l7 = 7;
    double d0 = 0.5, d1 = 1.5, d2 = 2.5, d3 = 3.5, d4 = 4.5, d5 = 5.5, d6 = 6.5, d7 = 7.5;
    String s0 = "zero", s1 = "one", s2 = "two", s3 = "three", s4 = "four", s5 = "five", s6 = "six", s7 = "seven";
    int[] a0 = {0}, a1 = {1, 1}, a2 = {2, 2, 2}, a3 = {3, 3, 3, 3};
    Object o0 = new Object(), o1 = Thread.currentThread(), o2 = new StringBuilder("two"), o3 = new Throwable("three");

    static final Map<String, Integer> STOCK = new HashMap<>();
    static final Node PATH = new Node(3, new Node(2, new Node(1, null)));

    /** A chain with branches. */
    static class Node {
        final int number;
        final Node next;
        final Node[] of = {this, this, this, this};

        Node(int number, Node next) {
            this.number = number;
            this.next = next;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Data data = new Data();
        for (int number = 0; number < 1000; number++) {
            STOCK.put("part " + number, number);
        }
        String[] words = new String[2000];
        for (int number = 0; number < words.length; number++) {
            words[number] = "word number " + number;
        }
        System.out.println("ready");
        while (true) {
            look(data, words, 42);
            Thread.sleep(20);
        }
    }

    private static void look(Data data, String[] words, int number) {
        long wide = number * 1_000_000_007L;
        short little = (short) number;
        byte tiny = (byte) number;
        char letter = 'x';
        boolean flag = number > 40;
        float rough = number / 3f;
        double fine = number / 3d;
        String name = "a name";
        String city = "a city";
        String street = "a street";
        String empty = "";
        Object nothing = null;
        Object something = data.o0;
        int[] numbers = data.a3;
        long[] sums = {1, 2, 3};
        int left = number - 1;
        int right = number + 1;
        int product = left * right;
        StringBuilder text = new StringBuilder("some text");
        Thread thread = Thread.currentThread();
        text.append(name).append(city).append(street).append(empty).append(wide).append(little); // @look
        text.append(tiny).append(letter).append(flag).append(rough).append(fine).append(nothing).append(something);
        text.append(numbers.length).append(sums.length).append(product).append(thread).append(words.length);
    }
}
