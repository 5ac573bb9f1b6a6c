package org.keyline.gateway.tier;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/** Encodes an entry as the format version, the fields in order, and a checksum. Decodes entries. */
final class PeerCodec {
    private static final int VERSION = 1;
    private static final int EVERYTHING = 0;
    private static final int TABLE = 1;
    private static final int ROWS = 2;

    private PeerCodec() {}

    static byte[] encode(PeerEntry entry) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(entry.member());
            out.writeLong(entry.process());
            out.writeLong(entry.number());
            write(entry.seen(), out);
            out.writeInt(entry.drops().size());
            for (Drop drop : entry.drops()) {
                write(drop, out);
            }
            out.flush();
            out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
        } catch (IOException e) {
            throw new UncheckedIOException("an entry is too long for its fields", e);
        }
        return bytes.toByteArray();
    }

    static void write(VersionVector seen, DataOutputStream out) throws IOException {
        out.writeInt(seen.numbers().size());
        for (Map.Entry<Long, Long> number : seen.numbers().entrySet()) {
            out.writeLong(number.getKey());
            out.writeLong(number.getValue());
        }
    }

    static VersionVector seen(DataInputStream in) throws IOException {
        int numbers = in.readInt();
        Map<Long, Long> seen = new HashMap<>();
        for (int i = 0; i < numbers; i++) {
            seen.put(in.readLong(), in.readLong());
        }
        return new VersionVector(seen);
    }

    private static void write(Drop drop, DataOutputStream out) throws IOException {
        if (drop instanceof Drop.Rows rows) {
            out.writeByte(ROWS);
            write(rows.table(), out);
            out.writeLong(rows.definition());
            out.writeInt(rows.key().length);
            out.write(rows.key());
        } else if (drop instanceof Drop.Table table) {
            out.writeByte(TABLE);
            write(table.table(), out);
        } else {
            out.writeByte(EVERYTHING);
        }
    }

    private static void write(TableName table, DataOutputStream out) throws IOException {
        out.writeUTF(table.schema());
        out.writeUTF(table.table());
    }

    /** Returns null if a message is damaged or has another format. The entry is then lost. */
    static @Nullable PeerEntry decode(byte[] bytes) {
        int end = bytes.length - Integer.BYTES;
        if (end < 1 || bytes[0] != VERSION || ByteBuffer.wrap(bytes).getInt(end) != checksum(bytes, end)) {
            return null;
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 1, end - 1))) {
            String member = in.readUTF();
            long process = in.readLong();
            long number = in.readLong();
            VersionVector seen = seen(in);
            int received = in.readInt();
            List<Drop> drops = new ArrayList<>();
            for (int i = 0; i < received; i++) {
                drops.add(drop(in));
            }
            return in.available() == 0 ? new PeerEntry(member, process, number, seen, drops) : null;
        } catch (IOException e) {
            // The checksum is correct, so the sender uses another format.
            return null;
        }
    }

    private static Drop drop(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        switch (kind) {
            case EVERYTHING:
                return new Drop.Everything();
            case TABLE:
                return new Drop.Table(table(in));
            case ROWS:
                TableName table = table(in);
                long definition = in.readLong();
                int length = in.readInt();
                if (length < 0 || length > in.available()) {
                    throw new IOException("key length: " + length);
                }
                return new Drop.Rows(table, definition, in.readNBytes(length));
            default:
                throw new IOException("kind of drop: " + kind);
        }
    }

    private static TableName table(DataInputStream in) throws IOException {
        String schema = in.readUTF();
        return new TableName(schema, in.readUTF());
    }

    static int checksum(byte[] bytes, int end) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, end);
        return (int) checksum.getValue();
    }
}
