import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/** A loop that calls a method of another class as often as it can: Anvil FILE. The number of calls stands in the file. */
public class Anvil {
    public static void main(String[] args) throws IOException {
        MappedByteBuffer turns = open(Paths.get(args[0]));
        Iron iron = new Iron("iron");
        System.out.println("ready");
        for (long turn = 0; ; turn++) {
            iron.hit((int) turn & 0xffff);
            turns.putLong(0, turn);
        }
    }

    private static MappedByteBuffer open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        }
    }
}

class Iron {
    private final String name;
    private int total;

    Iron(String name) {
        this.name = name;
    }

    int getTotal() {
        return total;
    }

    void hit(int number) {
        total += number; // @iron
        for (int blow = 0; blow < 3; blow++) { // a pass takes some nanoseconds
            total = total * 31 ^ total >>> 7;
        }
    }
}
