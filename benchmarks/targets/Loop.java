import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A loop that calls a method as often as it can: Loop [FILE]. The number of calls so far stands in the file, if any. */
public class Loop {
    private static int total;

    public static void main(String[] args) throws IOException {
        MappedByteBuffer turns = args.length == 0 ? null : open(Path.of(args[0]));
        System.out.println("ready");
        for (long turn = 0; ; turn++) {
            work((int) turn & 0xffff);
            if (turns != null) {
                turns.putLong(0, turn);
            }
        }
    }

    private static void work(int number) {
        total += number; // @hit
        total ^= 5;
    }

    private static MappedByteBuffer open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        }
    }
}
