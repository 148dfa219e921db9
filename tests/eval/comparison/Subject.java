// Where both sides evaluate: jdbpy stopped at the marked lines, java in the code that is put in at //#EXPRESSIONS.
package subject;

import static java.lang.Math.max;
import static java.util.concurrent.TimeUnit.*;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.*;
import java.util.function.Function;
import java.util.function.IntSupplier;

public class Subject extends Base implements Named {
    public static void main(String[] args) {
        javaEvaluates = args.length == 0;
        Subject subject = new Subject();
        subject.instance(3, "né日本", new String[] {"a", "b"});
        inStatic(new Subject(), -5);
        subject.inLambda(11).getAsInt();
        subject.new Inner(7).inner(2L);
        subject.anonymous("captured", 4).apply("given");
        new Generic<>("text", List.of(1, 2, 3)).inGeneric(List.of("x", "yy"));
    }

    static boolean javaEvaluates;

    static void show(String place, int id, boolean v) { print(place, id, "boolean", "" + v); }
    static void show(String place, int id, byte v) { print(place, id, "byte", "" + v); }
    static void show(String place, int id, short v) { print(place, id, "short", "" + v); }
    static void show(String place, int id, char v) { print(place, id, "char", "" + (int) v); }
    static void show(String place, int id, int v) { print(place, id, "int", "" + v); }
    static void show(String place, int id, long v) { print(place, id, "long", "" + v); }
    static void show(String place, int id, float v) { print(place, id, "float", "" + v); }
    static void show(String place, int id, double v) { print(place, id, "double", "" + v); }

    static void show(String place, int id, Object v) {
        if (v == null) {
            print(place, id, "null", "null");
        } else if (v.getClass().isArray()) {
            String text = Arrays.deepToString(new Object[] {v});
            print(place, id, v.getClass().getTypeName(), text.substring(1, text.length() - 1));
        } else {
            print(place, id, v.getClass().getName(), v.toString());
        }
    }

    static void thrown(String place, int id, Throwable t) {
        print(place, id, "!" + t.getClass().getName(), String.valueOf(t.getMessage()));
    }

    static void print(String place, int id, String type, String text) {
        StringBuilder escaped = new StringBuilder();
        for (char c : text.toCharArray()) {
            escaped.append(c >= ' ' && c < 127 && c != '\\' ? String.valueOf(c) : String.format("\\u%04x", (int) c));
        }
        System.out.println(place + "\t" + id + "\t" + type + "\t" + escaped);
    }

    enum Color {
        RED, GREEN { @Override int weight() { return 20; } }, BLUE;
        int weight() { return 10; }
        static final Color FIRST = RED;
    }

    record Point(int x, int y) {
        static Point origin() { return new Point(0, 0); }
        Point plus(Point other) { return new Point(x + other.x, y + other.y); }
    }

    static class Node {
        int value;
        Node next;
        private String secret = "hidden";
        static int made;
        Node(int value, Node next) { this.value = value; this.next = next; made++; }
        private Node() { this(-1, null); }
        int sum() { return value + (next == null ? 0 : next.sum()); }
        private int doubled() { return value * 2; }
        @Override public String toString() { return "Node" + value; }
        @Override public boolean equals(Object o) { return o instanceof Node && ((Node) o).value == value; }
        @Override public int hashCode() { return value; }
    }

    class Inner extends Hider {
        int own;
        int shadowed = 100;
        Inner(int own) { this.own = own; }

        class Deep {
            int depth = 2;
            int total() { return depth + own + number; }
        }

        void inner(long given) {
            int local = 5;
            Deep deep = new Deep();
            System.out.print(""); // @inner
            //#EXPRESSIONS inner
        }
        int own() { return own; }
        private int hiddenOwn() { return own + 1; }
    }

    static class Overloads {
        static String m(long x) { return "long"; }
        static String m(Integer x) { return "Integer"; }
        static String m(Object... x) { return "Object..." + x.length; }
        static String p(byte x) { return "byte"; }
        static String p(short x) { return "short"; }
        static String p(int x) { return "int"; }
        static String p(double x) { return "double"; }
        static String c(char x) { return "char"; }
        static String c(int x) { return "int"; }
        static String o(Object x) { return "Object"; }
        static String o(String x) { return "String"; }
        static String o(Integer x) { return "Integer"; }
        static String n(Object x) { return "Object"; }
        static String n(String x) { return "String"; }
        static String v(int first, int... rest) { return first + ":" + rest.length; }
        static String v(String first, Object... rest) { return first + "/" + (rest == null ? "null" : "" + rest.length); }
        static String w(Object x) { return "Object"; }
        static String w(Object... x) { return "Object..."; }
        static String f(float x) { return "float"; }
        static String f(double x) { return "double"; }
        static String l(List<?> x) { return "List"; }
        static String l(Collection<?> x) { return "Collection"; }
        static String l(Iterable<?> x) { return "Iterable"; }
        static String q(Number x, Object y) { return "NO"; }
        static String q(Object x, Integer y) { return "OI"; }
        static String arr(int[] x) { return "int[]"; }
        static String arr(Object x) { return "Object"; }
        static <T> T id(T x) { return x; }
        static <T extends Comparable<T>> T larger(T a, T b) { return a.compareTo(b) >= 0 ? a : b; }
        static int fails(int x) { throw new IllegalStateException("no " + x); }
        static void nothing() { }
    }

    // fields of every type
    boolean flag = true;
    byte tiny = -7;
    short small = 300;
    char letter = 'q';
    int number = 42;
    long large = 1L << 40;
    float single = 1.5f;
    double real = -2.25;
    String text = "hello";
    String empty = "";
    String nothing = null;
    Object object = "an object";
    Object boxedObject = 12;
    Integer boxed = 1000;
    Long boxedLong = 7L;
    Character boxedChar = 'z';
    Double boxedDouble = 0.5;
    Boolean boxedFlag = Boolean.FALSE;
    Integer noBox = null;
    int[] ints = {5, 3, 8};
    int[][] grid = {{1, 2}, {3, 4, 5}, {}};
    String[] words = {"one", "two", null};
    Object[] things = {"s", 1, null, 2.5};
    Object[] stringsInDisguise = new String[] {"x"};
    long[] longs = {1L, -1L};
    char[] chars = {'a', 'b'};
    List<Integer> list = new ArrayList<>(List.of(10, 20, 30));
    List<Node> nodes = new ArrayList<>();
    Map<String, Integer> map = new HashMap<>(Map.of("k", 1));
    Map<String, List<Node>> deep = new HashMap<>();
    Set<Color> colors = EnumSet.of(Color.RED);
    Color color = Color.GREEN;
    Point point = new Point(3, 4);
    Node chain = new Node(1, new Node(2, new Node(3, null)));
    Node noNode;
    BigDecimal money = new BigDecimal("10.50");
    Optional<String> maybe = Optional.of("there");
    final int constant = 9;
    static int counter = 100;
    static final String NAME = "subject";
    static final int LIMIT = 50;
    static final long BIG = 5_000_000_000L;
    static String mutable = "old";
    static Node shared = new Node(77, null);
    CharSequence sequence = "chars";
    Comparable<String> comparable = "cmp";
    Number numeric = 3;
    String surrogates = "a\uD83D\uDE00b";
    IntSupplier supplier = () -> 99;
    int shadowed = 1;
    int veiled = 8;
    Named[] several = {this, null};

    { nodes.add(chain); nodes.add(new Node(50, null)); deep.put("n", nodes); }

    int twice(int x) { return x * 2; }
    long twice(long x) { return x * 2 + 1; }
    private String secret() { return "secret " + number; }
    static int triple(int x) { return x * 3; }
    int sideEffect() { number++; return number; }
    boolean yes() { counter++; return true; }
    boolean no() { counter++; return false; }
    <T> T same(T x) { return x; }
    List<String> names() { return List.of("ann", "bob"); }
    int[] newInts() { return new int[] {1, 2}; }
    @Override public String name() { return "named"; }
    @Override protected String overridden() { return "subject's"; }
    void doNothing() { counter += 1000; }
    String check(int x) throws Exception { if (x < 0) throw new Exception("negative: " + x); return "ok"; }

    void instance(int i, String s, String[] array) {
        boolean b = false;
        byte y = 127;
        short h = -32768;
        char c = '\u00e9';
        int n = -17;
        int zero = 0;
        int big = Integer.MAX_VALUE;
        long l = Long.MIN_VALUE;
        float f = 0.1f;
        double d = 1e21;
        double nan = Double.NaN;
        Integer box = 127;
        Integer box2 = 127;
        Integer bigBox = 128;
        Integer bigBox2 = 128;
        Long boxL = 127L;
        Object o = new ArrayList<>(List.of("in", "list"));
        Object str = "a string";
        Object num = 5;
        String nul = null;
        List<String> strings = new ArrayList<>(List.of("p", "qq", "rrr"));
        Map<Integer, String> byNumber = new TreeMap<>(Map.of(1, "one", 2, "two"));
        Node node = chain;
        int[] data = {4, 5, 6};
        Color col = Color.BLUE;
        int shadowed = 2;
        Runnable runnable = () -> { };
        System.out.print(""); // @instance
        //#EXPRESSIONS instance
    }

    static void inStatic(Subject given, int amount) {
        String local = "loc";
        System.out.print(""); // @static
        //#EXPRESSIONS static
    }

    IntSupplier inLambda(int captured) {
        String effectively = "final";
        return () -> {
            int inside = captured + 1;
            System.out.print(""); // @lambda
            //#EXPRESSIONS lambda
            return inside + effectively.length();
        };
    }

    Function<String, String> anonymous(String taken, int count) {
        return new Function<String, String>() {
            int calls = 6;
            @Override public String apply(String argument) {
                System.out.print(""); // @anonymous
                //#EXPRESSIONS anonymous
                return taken + count + number + calls;
            }
        };
    }

    static class Generic<T extends CharSequence> {
        T value;
        List<Integer> numbers;
        Generic(T value, List<Integer> numbers) { this.value = value; this.numbers = numbers; }
        T get() { return value; }
        <U extends Number> U pick(List<U> from) { return from.get(0); }
        void inGeneric(List<? extends CharSequence> wild) {
            System.out.print(""); // @generic
            //#EXPRESSIONS generic
        }
    }
}

class Hider {
    private int veiled = -1;
}

abstract class Base {
    int inherited = 55;
    static int inheritedStatic = 66;
    private int hiddenInBase = 5;
    protected String overridden() { return "base's"; }
    int fromBase(int x) { return x + inherited; }
    static String staticBase() { return "static base"; }
}

interface Named {
    int ANSWER = 4200;
    String name();
    default String greeting() { return "hello " + name(); }
    static String shout(String s) { return s + "!"; }
}
