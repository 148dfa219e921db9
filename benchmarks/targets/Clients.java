import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** Clients of a web server: Clients PORT PATH COUNT. For each number on standard input so many requests are sent, by all
 *  clients together, each over one connection; then "done NANOSECONDS" is written. */
public class Clients {
    private final Socket socket;
    private final byte[] request;
    private final byte[] buffer = new byte[65536];
    private int length; // of an answer: all are equally long

    Clients(int port, String path) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        request = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    public static void main(String[] args) throws Exception {
        Clients[] clients = new Clients[Integer.parseInt(args[2])];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new Clients(Integer.parseInt(args[0]), args[1]);
        }
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            int each = Integer.parseInt(line) / clients.length;
            CountDownLatch done = new CountDownLatch(clients.length);
            long start = System.nanoTime();
            for (Clients client : clients) {
                new Thread(() -> client.ask(each, done)).start();
            }
            done.await();
            System.out.println("done " + (System.nanoTime() - start));
        }
    }

    private void ask(int count, CountDownLatch done) {
        try {
            InputStream answers = socket.getInputStream();
            for (int i = 0; i < count; i++) {
                socket.getOutputStream().write(request);
                int got = 0;
                do {
                    int more = answers.read(buffer, got, buffer.length - got);
                    if (more < 0) {
                        throw new IOException("the server has closed the connection");
                    }
                    got += more;
                    if (length == 0) {
                        length = length(new String(buffer, 0, got, StandardCharsets.US_ASCII));
                    }
                } while (got < length || length == 0);
            }
        } catch (IOException failed) {
            failed.printStackTrace();
            System.exit(1);
        }
        done.countDown();
    }

    /** The length of a whole answer, by its head; 0 if that has not come. */
    private static int length(String answer) {
        int head = answer.indexOf("\r\n\r\n");
        int named = answer.indexOf("Content-Length: ");
        if (head < 0) {
            return 0;
        }
        return head + 4 + Integer.parseInt(answer.substring(named + 16, answer.indexOf("\r\n", named)));
    }
}
