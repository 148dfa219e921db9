import com.sun.jdi.Bootstrap;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import java.util.Map;

/**
 * What a front end on JDI does, as plainly as it is usually written: Jdi HOST PORT WORK [CLASS LINE [TIMES]]. Prints
 * "attached" once it is, "begin" before the work and "end COUNT" after it; COUNT is how many things it has looked at.
 * Then it waits to be killed.
 */
public class Jdi {
    public static void main(String[] args) throws Exception {
        VirtualMachine vm = attach(args[0], args[1]);
        System.out.println("attached");
        String work = args[2];
        if (args.length > 3) {
            int times = args.length > 5 ? Integer.parseInt(args[5]) : 0;
            new Stops(vm, args[3], Integer.parseInt(args[4])).work(work, times);
        } else if (!work.equals("attach")) {
            Lists.work(vm, work);
        }
        System.in.read();
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
}
