package org.keyline.gateway.warm;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.keyline.planner.TableName;

/** The file of hot keys and statements: how it is laid out, written as a whole, and read only if it is whole. */
final class WarmFile {
    /*
     *   "KEYLWARM" | int version | int CRC32C of all that follows
     *   text store
     *   int statements | each: text schema, text statement
     *   int tables     | each: text schema, text name, byte key columns of a prefix, text definition
     *   int keys       | each: int table, byte kind, int length, bytes
     *
     * A text is an int length and UTF-8. The version is that of key bytes, too: it is raised where columns are encoded in another way.
     */
    static final int VERSION = 2;

    private static final byte[] MAGIC = "KEYLWARM".getBytes(UTF_8);
    private static final int HEAD_BYTES = MAGIC.length + 2 * Integer.BYTES;
    /** Beyond that it was not written by this class. */
    private static final int MAX_BYTES = 64 << 20;

    /** A statement without its values, and the schema it was sent in. */
    record Statement(String schema, String text) {}

    /** A table, how many of its key columns name a line, and what tells whether it is still defined so. */
    record Table(TableName name, int prefixCells, String definition) {}

    /** A line: the position of its table, its row format, and its prefix. Not to be compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record Key(int table, byte kind, byte[] prefix) {}

    /**
     * What is in a file.
     *
     * @param store whose keys these are
     * @param statements those first that are answered most
     * @param keys those first that are read most
     */
    record Content(String store, List<Statement> statements, List<Table> tables, List<Key> keys) {}

    /** A file that is not used. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;

        Unusable(String message) {
            super(message);
        }
    }

    private WarmFile() {}

    /** Takes the place of the file at once: whoever reads it sees the old one or the new one. Nobody but its owner can read it. */
    static void write(Path file, Content content) throws IOException {
        Path made = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(made);
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] owners = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        try (FileChannel out =
                FileChannel.open(made, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), owners)) {
            for (ByteBuffer bytes = ByteBuffer.wrap(encode(content)); bytes.hasRemaining(); ) {
                int unused = out.write(bytes);
            }
            out.force(true);
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Reads a file that is there. */
    static Content read(Path file) throws IOException, Unusable {
        if (Files.size(file) > MAX_BYTES) {
            throw new Unusable("it is larger than 64 MiB");
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length < HEAD_BYTES || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new Unusable("it is no warm file");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, MAGIC.length, bytes.length - MAGIC.length);
        int version = in.getInt();
        if (version != VERSION) {
            throw new Unusable("it is of format " + version + ", this version of Keyline writes format " + VERSION);
        }
        if (in.getInt() != checksum(bytes)) {
            throw new Unusable("it is damaged");
        }
        try {
            return new Content(
                    text(in),
                    list(in, from -> new Statement(text(from), text(from))),
                    list(in, from -> new Table(new TableName(text(from), text(from)), from.get(), text(from))),
                    list(in, from -> new Key(from.getInt(), from.get(), bytes(from))));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new Unusable("it is damaged");
        }
    }

    static byte[] encode(Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(MAGIC);
            out.writeInt(VERSION);
            out.writeInt(0);
            text(out, content.store());
            out.writeInt(content.statements().size());
            for (Statement statement : content.statements()) {
                text(out, statement.schema());
                text(out, statement.text());
            }
            out.writeInt(content.tables().size());
            for (Table table : content.tables()) {
                text(out, table.name().schema());
                text(out, table.name().table());
                out.writeByte(table.prefixCells());
                text(out, table.definition());
            }
            out.writeInt(content.keys().size());
            for (Key key : content.keys()) {
                out.writeInt(key.table());
                out.writeByte(key.kind());
                bytes(out, key.prefix());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail so", e);
        }
        byte[] encoded = bytes.toByteArray();
        ByteBuffer.wrap(encoded).putInt(HEAD_BYTES - Integer.BYTES, checksum(encoded));
        return encoded;
    }

    private static int checksum(byte[] file) {
        CRC32C crc = new CRC32C();
        crc.update(file, HEAD_BYTES, file.length - HEAD_BYTES);
        return (int) crc.getValue();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        bytes(out, text.getBytes(UTF_8));
    }

    private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String text(ByteBuffer in) {
        return new String(bytes(in), UTF_8);
    }

    private static byte[] bytes(ByteBuffer in) {
        byte[] bytes = new byte[length(in)];
        in.get(bytes);
        return bytes;
    }

    private static <T> List<T> list(ByteBuffer in, Function<ByteBuffer, T> element) {
        int count = length(in);
        List<T> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(element.apply(in));
        }
        return list;
    }

    /** A length or count: everything takes a byte at least. */
    private static int length(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        return length;
    }
}
