import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Many threads with deep stacks, all waiting for ever: Crowd THREADS FRAMES. Prints "ready" when all are in place. */
public class Crowd {
    private static final long STACK_BYTES = 512 * 1024;

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]);
        int frames = Integer.parseInt(args[1]);
        CountDownLatch inPlace = new CountDownLatch(threads);
        for (int number = 1; number <= threads; number++) {
            new Thread(null, () -> descend(frames, inPlace), "crowd-" + number, STACK_BYTES).start();
        }
        inPlace.await();
        System.out.println("ready");
        Thread.currentThread().join();
    }

    /** Waits {@code frames} calls deep; the frames of Thread.run and of waiting itself come on top. */
    private static int descend(int frames, CountDownLatch inPlace) {
        if (frames > 1) {
            return descend(frames - 1, inPlace) + 1;
        }
        inPlace.countDown();
        while (true) {
            LockSupport.park();
        }
    }
}
