import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.Location;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import java.util.Map;

/**
 * What a front end on JDI does, as plainly as it is usually written: Jdi HOST PORT WORK. Prints "attached" once it is,
 * "begin" before the work and "end COUNT" after it; COUNT is how many threads or frames it has looked at.
 */
public class Jdi {
    public static void main(String[] args) throws Exception {
        VirtualMachine vm = attach(args[0], args[1]);
        System.out.println("attached");
        switch (args[2]) {
            case "attach" -> { }
            case "where-all" -> {
                vm.suspend();
                System.out.println("begin");
                System.out.println("end " + whereAll(vm));
            }
            case "threads" -> {
                System.out.println("begin");
                System.out.println("end " + threads(vm));
            }
            default -> throw new IllegalArgumentException(args[2]);
        }
        vm.dispose();
    }

    private static VirtualMachine attach(String host, String port) throws Exception {
        for (AttachingConnector connector : Bootstrap.virtualMachineManager().attachingConnectors()) {
            if (connector.name().equals("com.sun.jdi.SocketAttach")) {
                Map<String, Connector.Argument> arguments = connector.defaultArguments();
                arguments.get("hostname").setValue(host);
                arguments.get("port").setValue(port);
                VirtualMachine vm = connector.attach(arguments);
                vm.version(); // a front end tells what it is attached to
                return vm;
            }
        }
        throw new IllegalStateException("no SocketAttach connector");
    }

    private static int whereAll(VirtualMachine vm) throws IncompatibleThreadStateException {
        int frames = 0;
        StringBuilder text = new StringBuilder();
        for (ThreadReference thread : vm.allThreads()) {
            text.append(thread.name()).append(thread.status());
            for (StackFrame frame : thread.frames()) {
                Location location = frame.location();
                text.append(location.declaringType().name()).append(location.method().name()).append(source(location));
                text.append(location.lineNumber());
                frames++;
            }
        }
        return frames;
    }

    private static String source(Location location) {
        try {
            return location.sourceName();
        } catch (AbsentInformationException e) {
            return "?";
        }
    }

    private static int threads(VirtualMachine vm) {
        int threads = 0;
        StringBuilder text = new StringBuilder();
        for (ThreadReference thread : vm.allThreads()) {
            text.append(thread.name()).append(thread.status()).append(thread.threadGroup().name());
            threads++;
        }
        return threads;
    }
}
