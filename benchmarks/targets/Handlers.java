import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** Eight threads that call a method as often as they can: Handlers FILE. The number of calls so far stands in the file. */
public class Handlers {
    private static final int THREADS = 8;

    public static void main(String[] args) throws IOException {
        MappedByteBuffer turns;
        try (FileChannel channel = FileChannel.open(
                Path.of(args[0]), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            turns = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        }
        System.out.println("ready");
        AtomicLong count = new AtomicLong();
        for (int thread = 0; thread < THREADS; thread++) {
            new Thread(() -> {
                while (true) {
                    long turn = count.incrementAndGet();
                    work((int) turn & 0xffff);
                    turns.putLong(0, turn);
                }
            }).start();
        }
    }

    private static int work(int number) {
        return number ^ 5; // @hit
    }

    static boolean never(int number) {
        return number < 0;
    }
}
