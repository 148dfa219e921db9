"""A program that calls two methods in turn as long as it is fed."""

from __future__ import annotations

TURNS = """
class Turns {
    public static void main(String[] args) throws Exception {
        Turns turns = new Turns();
        System.out.println("turning");
        while (System.in.available() == 0) {
            try {
                turns.turn(1, "again");
            } catch (IllegalStateException odd) {
                turns.turns++;
            }
            java.util.concurrent.locks.LockSupport.parkNanos(100_000);
        }
    }
    int turns;
    int turn(int by, String why) {
        check(turns);
        turns += by;
        return turns;
    }
    void check(int turns) {
        if (turns % 2 == 1) throw new IllegalStateException("odd: " + turns);
    }
}
"""
