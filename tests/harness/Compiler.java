import com.sun.tools.javac.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * javac for one run of the tests after the other: the first one warms up the classes that all use. A request is the
 * number of arguments and then each in a line; the answer is a line with the status and the length of what javac says,
 * and that text. It ends with its input.
 */
public class Compiler {
    public static void main(String[] none) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream output = System.out;
        System.setOut(System.err);
        for (String count; (count = input.readLine()) != null; ) {
            var arguments = new String[Integer.parseInt(count)];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = input.readLine();
            }
            var said = new StringWriter();
            int status = Main.compile(arguments, new PrintWriter(said, true));
            byte[] text = said.toString().getBytes(StandardCharsets.UTF_8);
            output.println(status + " " + text.length);
            output.write(text);
            output.flush();
        }
    }
}
