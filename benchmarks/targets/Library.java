import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Very many loaded classes: Library CLASSES. They are empty, and made up on the spot. */
public class Library extends ClassLoader {
    private static final int JAVA_8 = 52;
    private static final int UTF8 = 1;
    private static final int CLASS = 7;

    public static void main(String[] args) throws IOException, ClassNotFoundException, InterruptedException {
        Library library = new Library();
        int classes = Integer.parseInt(args[0]);
        for (int number = 0; number < classes; number++) {
            String name = "com.acme.shop.part" + number % 99 + ".Entry" + number;
            byte[] code = emptyClass(name);
            library.defineClass(name, code, 0, code.length);
            Class.forName(name, true, library); // the agent tells of prepared classes only
        }
        System.out.println("ready");
        Thread.currentThread().join();
    }

    private static byte[] emptyClass(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(JAVA_8);
        out.writeShort(5); // constants, and one
        out.writeByte(UTF8);
        out.writeUTF(name.replace('.', '/'));
        out.writeByte(CLASS);
        out.writeShort(1);
        out.writeByte(UTF8);
        out.writeUTF("java/lang/Object");
        out.writeByte(CLASS);
        out.writeShort(3);
        out.writeShort(0x21); // public, with the present meaning of invokespecial
        out.writeShort(2);
        out.writeShort(4);
        out.write(new byte[8]); // no interfaces, fields, methods, attributes
        return bytes.toByteArray();
    }
}
