package org.keyline.gateway.signal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.RowImage;

/** Questions and messages as bytes: the version of the format, the fields in their order. What is no such thing is an {@link IOException}. */
final class SignalCodec {
    private static final int VERSION = 1;

    private static final int ROW = 1;
    private static final int TABLE = 2;
    private static final int DEFINITIONS = 3;
    private static final int EVERYTHING = 4;
    private static final int ALL_DEFINITIONS = 5;
    private static final int PRIVILEGES = 6;
    private static final int COMPLETE = 7;
    private static final int COMPLETE_TABLE = 8;
    private static final int TOLD = 9;

    private static final int NULL = -1;
    private static final int UNKNOWN = -2;

    private SignalCodec() {}

    /** Writes what it is given, which fails only where a text is too long for its field. */
    private interface Body {
        void write(DataOutputStream out) throws IOException;
    }

    /** Reads one thing. */
    private interface Reading<T> {
        T read(DataInputStream in) throws IOException;
    }

    private static byte[] bytes(Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            body.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a message is too long for its fields", e);
        }
        return bytes.toByteArray();
    }

    static byte[] encode(SignalQuestion question) {
        return bytes(out -> {
            out.writeByte(VERSION);
            out.writeLong(question.follower());
            out.writeLong(question.number());
            out.writeUTF(question.store());
            Set<TableName> tables = question.tables();
            out.writeBoolean(tables != null);
            if (tables != null) {
                write(tables, out);
            }
        });
    }

    static SignalQuestion question(byte[] bytes) throws IOException {
        return whole(bytes, in -> {
            version(in);
            return new SignalQuestion(
                    in.readLong(), in.readLong(), in.readUTF(), in.readBoolean() ? new HashSet<>(tables(in)) : null);
        });
    }

    /** A reply, of messages that are encoded. */
    static byte[] reply(Collection<byte[]> messages) {
        return bytes(out -> {
            out.writeByte(VERSION);
            out.writeInt(messages.size());
            for (byte[] message : messages) {
                out.write(message);
            }
        });
    }

    static List<SignalMessage> messages(byte[] reply) throws IOException {
        return whole(reply, in -> {
            version(in);
            return list(in, SignalCodec::message);
        });
    }

    static byte[] encode(SignalMessage message) {
        return bytes(out -> write(message, out));
    }

    private static void write(SignalMessage message, DataOutputStream out) throws IOException {
        if (message instanceof SignalMessage.Row row) {
            out.writeByte(ROW);
            write(row.table(), out);
            out.writeLong(row.definition());
            writeCells(row.key(), out);
            out.writeInt(row.images().size());
            for (List<byte @Nullable []> image : row.images()) {
                writeCells(image, out);
            }
        } else if (message instanceof SignalMessage.Table table) {
            out.writeByte(TABLE);
            write(table.table(), out);
        } else if (message instanceof SignalMessage.Definitions definitions) {
            out.writeByte(DEFINITIONS);
            write(definitions.tables(), out);
        } else if (message instanceof SignalMessage.Complete complete) {
            TableName table = complete.table();
            out.writeByte(table == null ? COMPLETE : COMPLETE_TABLE);
            if (table != null) {
                write(table, out);
            }
            out.writeLong(complete.question());
        } else if (message instanceof SignalMessage.Told told) {
            out.writeByte(TOLD);
            writeCell(told.position().getBytes(StandardCharsets.UTF_8), out);
        } else if (message instanceof SignalMessage.Everything) {
            out.writeByte(EVERYTHING);
        } else if (message instanceof SignalMessage.AllDefinitions) {
            out.writeByte(ALL_DEFINITIONS);
        } else {
            out.writeByte(PRIVILEGES);
        }
    }

    private static SignalMessage message(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case ROW -> new SignalMessage.Row(table(in), in.readLong(), cells(in), list(in, SignalCodec::cells));
            case TABLE -> new SignalMessage.Table(table(in));
            case DEFINITIONS -> new SignalMessage.Definitions(tables(in));
            case EVERYTHING -> new SignalMessage.Everything();
            case ALL_DEFINITIONS -> new SignalMessage.AllDefinitions();
            case PRIVILEGES -> new SignalMessage.Privileges();
            case COMPLETE -> new SignalMessage.Complete(null, in.readLong());
            case COMPLETE_TABLE -> new SignalMessage.Complete(table(in), in.readLong());
            case TOLD -> {
                byte[] position = cell(in);
                if (position == null || position == RowImage.UNKNOWN) {
                    throw new IOException("position: none");
                }
                yield new SignalMessage.Told(new String(position, StandardCharsets.UTF_8));
            }
            default -> throw new IOException("kind of message: " + kind);
        };
    }

    private static void version(DataInputStream in) throws IOException {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IOException("version of messages: " + version + " (expected: " + VERSION + ")");
        }
    }

    private static <T> T whole(byte[] bytes, Reading<T> reading) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            T read = reading.read(in);
            if (in.available() != 0) {
                throw new IOException(in.available() + " bytes more than expected");
            }
            return read;
        }
    }

    private static void write(Collection<TableName> tables, DataOutputStream out) throws IOException {
        out.writeInt(tables.size());
        for (TableName table : tables) {
            write(table, out);
        }
    }

    private static List<TableName> tables(DataInputStream in) throws IOException {
        return list(in, SignalCodec::table);
    }

    private static void write(TableName table, DataOutputStream out) throws IOException {
        out.writeUTF(table.schema());
        out.writeUTF(table.table());
    }

    private static TableName table(DataInputStream in) throws IOException {
        String schema = in.readUTF();
        return new TableName(schema, in.readUTF());
    }

    private static void writeCells(List<byte @Nullable []> cells, DataOutputStream out) throws IOException {
        out.writeInt(cells.size());
        for (byte @Nullable [] cell : cells) {
            writeCell(cell, out);
        }
    }

    private static List<byte @Nullable []> cells(DataInputStream in) throws IOException {
        byte @Nullable [][] cells = new byte @Nullable [size(in)][];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = cell(in);
        }
        return Arrays.asList(cells);
    }

    private static void writeCell(byte @Nullable [] cell, DataOutputStream out) throws IOException {
        if (cell == null) {
            out.writeInt(NULL);
        } else if (cell == RowImage.UNKNOWN) {
            out.writeInt(UNKNOWN);
        } else {
            out.writeInt(cell.length);
            out.write(cell);
        }
    }

    private static byte @Nullable [] cell(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length == NULL) {
            return null;
        }
        if (length == UNKNOWN) {
            return RowImage.UNKNOWN;
        }
        if (length < 0 || length > in.available()) {
            throw new IOException("length of a cell: " + length);
        }
        return in.readNBytes(length);
    }

    private static <T> List<T> list(DataInputStream in, Reading<T> reading) throws IOException {
        int size = size(in);
        List<T> list = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            list.add(reading.read(in));
        }
        return list;
    }

    /** Each of them takes a byte at least. */
    private static int size(DataInputStream in) throws IOException {
        int size = in.readInt();
        if (size < 0 || size > in.available()) {
            throw new IOException("number of items: " + size);
        }
        return size;
    }
}
