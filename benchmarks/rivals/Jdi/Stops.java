import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.ArrayReference;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.IntegerValue;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventIterator;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.LocatableEvent;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.StepRequest;
import java.util.List;

/** What is done at a breakpoint, which stops the thread alone where it is not meant to be seen, else the whole VM. */
class Stops {
    private final VirtualMachine vm;
    private final String className;
    private final int line;
    private final StringBuilder text = new StringBuilder();

    Stops(VirtualMachine vm, String className, int line) {
        this.vm = vm;
        this.className = className;
        this.line = line;
    }

    void work(String work, int times) throws Exception {
        if (work.equals("entries")) {
            entries(times);
            return;
        }
        boolean passing = work.startsWith("condition");
        BreakpointRequest breakpoint = breakpoint(passing ? EventRequest.SUSPEND_EVENT_THREAD : EventRequest.SUSPEND_ALL);
        EventSet stop = next();
        ThreadReference thread = thread(stop);
        show(thread);
        System.out.println("begin");
        switch (work) {
            case "hit" -> hits(stop, times);
            case "step" -> {
                breakpoint.disable();
                steps(stop, StepRequest.STEP_INTO, times);
            }
            case "next" -> {
                breakpoint.disable();
                steps(stop, StepRequest.STEP_OVER, times);
            }
            case "condition" -> condition(stop, at -> ((IntegerValue) local(at, "number")).value() < 0);
            case "condition-fields" -> condition(stop, Stops::isSteel);
            case "condition-getter" -> condition(stop, at -> total(at) == -1);
            case "locals" -> System.out.println("end " + locals(thread.frame(0)));
            case "dump-object" -> System.out.println("end " + dumpObject((ObjectReference) local(thread, "data")));
            case "dump-array" -> System.out.println("end " + dumpArray((ArrayReference) local(thread, "words")));
            default -> throw new IllegalArgumentException(work);
        }
    }

    private BreakpointRequest breakpoint(int policy) throws AbsentInformationException {
        Location place = vm.classesByName(className).get(0).locationsOfLine(line).get(0);
        BreakpointRequest request = vm.eventRequestManager().createBreakpointRequest(place);
        request.setSuspendPolicy(policy);
        request.enable();
        return request;
    }

    private EventSet next() throws InterruptedException {
        while (true) {
            EventSet events = vm.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof LocatableEvent) {
                    return events;
                }
            }
            events.resume();
        }
    }

    private static ThreadReference thread(EventSet events) {
        return ((LocatableEvent) events.iterator().next()).thread();
    }

    private void show(ThreadReference thread) throws Exception {
        Location location = thread.frame(0).location();
        text.append(thread.name()).append(location.declaringType().name()).append(location.method().name());
        text.append(location.sourceName()).append(location.lineNumber());
    }

    private void hits(EventSet stop, int times) throws Exception {
        for (int hit = 0; hit < times; hit++) {
            stop.resume();
            stop = next();
            show(thread(stop));
        }
        System.out.println("end " + times);
    }

    private void steps(EventSet stop, int depth, int times) throws Exception {
        for (int step = 0; step < times; step++) {
            StepRequest request =
                    vm.eventRequestManager().createStepRequest(thread(stop), StepRequest.STEP_LINE, depth);
            for (String pattern : new String[] {"java.*", "javax.*", "sun.*", "com.sun.*", "jdk.*"}) {
                request.addClassExclusionFilter(pattern);
            }
            request.addCountFilter(1);
            request.enable();
            stop.resume();
            stop = next();
            vm.eventRequestManager().deleteEventRequest(request);
            show(thread(stop));
        }
        System.out.println("end " + times);
    }

    private interface Condition {
        boolean holds(ThreadReference thread) throws Exception;
    }

    /** Computes a condition at each hit and never stops: for ever. */
    private void condition(EventSet stop, Condition condition) throws Exception {
        while (true) {
            if (condition.holds(thread(stop))) {
                throw new IllegalStateException("the condition holds");
            }
            stop.resume();
            stop = next();
        }
    }

    /** Two fields of "this", of which the text is compared here. */
    private static boolean isSteel(ThreadReference thread) throws Exception {
        ObjectReference self = thread.frame(0).thisObject();
        Value total = self.getValue(self.referenceType().fieldByName("total"));
        Value name = self.getValue(self.referenceType().fieldByName("name"));
        return ((IntegerValue) total).value() != -1 && ((StringReference) name).value().equals("steel");
    }

    private static int total(ThreadReference thread) throws Exception {
        ObjectReference self = thread.frame(0).thisObject();
        Method getter = self.referenceType().methodsByName("getTotal").get(0);
        return ((IntegerValue) self.invokeMethod(thread, getter, List.of(), ObjectReference.INVOKE_SINGLE_THREADED))
                .value();
    }

    private void entries(int times) throws InterruptedException {
        MethodEntryRequest request = vm.eventRequestManager().createMethodEntryRequest();
        request.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        request.addClassFilter(className);
        request.enable();
        next();
        System.out.println("begin");
        int count = 0;
        while (count < times) {
            EventIterator events = vm.eventQueue().remove().eventIterator();
            while (events.hasNext()) {
                count += events.nextEvent() instanceof MethodEntryEvent ? 1 : 0;
            }
        }
        System.out.println("end " + count);
    }

    private static Value local(ThreadReference thread, String name)
            throws IncompatibleThreadStateException, AbsentInformationException {
        StackFrame frame = thread.frame(0);
        return frame.getValue(frame.visibleVariableByName(name));
    }

    private int locals(StackFrame frame) throws AbsentInformationException {
        int count = 0;
        for (var variable : frame.visibleVariables()) {
            text.append(variable.name()).append(variable.typeName());
            show(frame.getValue(variable));
            count++;
        }
        return count;
    }

    private int dumpObject(ObjectReference object) {
        int count = 0;
        for (var field : object.referenceType().allFields()) {
            text.append(field.name()).append(field.typeName());
            show(object.getValue(field));
            count++;
        }
        return count;
    }

    private int dumpArray(ArrayReference array) {
        for (Value value : array.getValues()) {
            show(value);
        }
        return array.length();
    }

    private void show(Value value) {
        if (value instanceof StringReference string) {
            text.append(string.value());
        } else if (value instanceof ObjectReference object) {
            text.append(object.referenceType().name()).append(object.uniqueID());
        } else {
            text.append(value);
        }
    }
}
