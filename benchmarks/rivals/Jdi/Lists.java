import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.Location;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;

/** Threads, stacks and classes of a whole VM. */
class Lists {
    static void work(VirtualMachine vm, String work) throws IncompatibleThreadStateException {
        if (work.equals("where-all")) {
            vm.suspend();
        }
        System.out.println("begin");
        int count = switch (work) {
            case "where-all" -> whereAll(vm);
            case "threads" -> threads(vm);
            case "classes" -> classes(vm);
            default -> throw new IllegalArgumentException(work);
        };
        System.out.println("end " + count);
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

    private static int classes(VirtualMachine vm) {
        int classes = 0;
        StringBuilder text = new StringBuilder();
        for (ReferenceType type : vm.allClasses()) {
            text.append(type.name());
            classes++;
        }
        return classes;
    }
}
