import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A hot loop, again and again: Lines FILE. The number of lines that were reached in it so far stands in the file. */
public class Lines {
    private static final int TURNS = 99_999;
    private static final int LINES = 3 * TURNS + 3;
    private static volatile long kept;

    public static void main(String[] args) throws IOException {
        StandardOpenOption[] options = {StandardOpenOption.READ, StandardOpenOption.WRITE};
        try (FileChannel channel = FileChannel.open(Path.of(args[0]), options)) {
            MappedByteBuffer lines = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
            System.out.println("ready");
            for (long calls = 1; ; calls++) {
                kept = work(TURNS);
                lines.putLong(0, calls * LINES);
            }
        }
    }

    private static long work(int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            sum += i;
            sum ^= sum >>> 3;
        }
        return sum;
    }
}
