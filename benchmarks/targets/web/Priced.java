package web;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

/** A servlet that takes its own times of what it does: the whole of a request, and the two pieces of it. With the
 *  parameter "sums" it answers with these, in nanoseconds, and with the number of the requests. */
public class Priced extends HttpServlet {
    private final LongAdder whole = new LongAdder(), pricing = new LongAdder(), rendering = new LongAdder(), count = new LongAdder();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getParameter("sums") != null) {
            response.getWriter().println(whole.sum() + " " + pricing.sum() + " " + rendering.sum() + " " + count.sum());
        } else {
            serve(response);
        }
    }

    private void serve(HttpServletResponse response) throws IOException {
        long begun = System.nanoTime();
        long[] prices = price(40);
        long priced = System.nanoTime();
        String text = render(prices);
        long rendered = System.nanoTime();
        response.setContentLength(text.length());
        response.getWriter().print(text);
        pricing.add(priced - begun);
        rendering.add(rendered - priced);
        count.increment();
        whole.add(System.nanoTime() - begun);
    }

    private static long[] price(int items) {
        long[] prices = new long[items];
        for (int item = 0; item < items; item++) {
            long price = 7 * item + 1;
            for (int year = 0; year < 100; year++) {
                price = price * 1_000_003 % 998_244_353;
            }
            prices[item] = price;
        }
        return prices;
    }

    private static String render(long[] prices) {
        StringBuilder text = new StringBuilder("<ul>");
        for (long price : prices) {
            text.append("<li>").append(price / 100).append('.').append(price % 100).append("</li>");
        }
        return text.append("</ul>").toString();
    }
}
