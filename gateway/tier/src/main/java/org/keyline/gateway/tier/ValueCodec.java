package org.keyline.gateway.tier;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.Line;

/**
 * Encodes lines as values of the tier. A value has the version of the format, the origin and format
 * of the rows, the line's prefix, the message numbers received before the load, the rows and a
 * checksum. The rows' keys are omitted; the reader derives them from the rows as a load does.
 */
final class ValueCodec {
    private static final int VERSION = 1;

    /** @param seen the message numbers recorded when the load of the rows began */
    record Value(VersionVector seen, List<byte[]> rows) {}

    /** Thrown if a value does not belong to the request, or if the bytes are not a value. */
    static final class Unfit extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean damaged;

        Unfit(boolean damaged) {
            super(damaged ? "damaged" : "of something else", null, false, false);
            this.damaged = damaged;
        }

        /** Returns whether the bytes are damaged or have another version. */
        boolean damaged() {
            return damaged;
        }
    }

    private ValueCodec() {}

    /**
     * Encodes a line.
     *
     * @param origin the digest of the origin of its rows
     * @return null if the value would exceed the maximum size
     */
    static byte @Nullable [] encode(byte[] origin, VersionVector seen, Line line, int maxBytes) {
        int rows = line.rows();
        int from = line.rowOffset(0);
        int length = line.rowOffset(rows) - from;
        if ((long) length + (long) rows * Integer.BYTES > maxBytes) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256 + length + rows * Integer.BYTES);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            write(origin, out);
            out.writeByte(line.kind());
            write(line.prefix(), out);
            PeerCodec.write(seen, out);
            out.writeInt(rows);
            for (int row = 0; row < rows; row++) {
                out.writeInt(line.rowLength(row));
                out.write(line.bytes(), line.rowOffset(row), line.rowLength(row));
            }
            out.flush();
            out.writeInt(PeerCodec.checksum(bytes.toByteArray(), bytes.size()));
        } catch (IOException e) {
            throw new UncheckedIOException("a write to memory failed", e);
        }
        return bytes.size() > maxBytes ? null : bytes.toByteArray();
    }

    /**
     * Decodes the value of the line with the prefix {@code key}.
     *
     * @param origin the digest of the origin of this gateway's rows
     * @throws Unfit if the bytes are not a value of this version, or are the value of another line
     * or origin
     */
    static Value decode(byte[] bytes, byte[] origin, int kind, byte[] key) throws Unfit {
        int end = bytes.length - Integer.BYTES;
        if (end < 1 || bytes[0] != VERSION || ByteBuffer.wrap(bytes).getInt(end) != PeerCodec.checksum(bytes, end)) {
            throw new Unfit(true);
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 1, end - 1))) {
            boolean same = Arrays.equals(bytes(in), origin);
            same &= in.readByte() == kind;
            same &= Arrays.equals(bytes(in), key);
            if (!same) {
                throw new Unfit(false);
            }
            VersionVector seen = PeerCodec.seen(in);
            int count = in.readInt();
            List<byte[]> rows = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                rows.add(bytes(in));
            }
            if (in.available() > 0) {
                throw new Unfit(true);
            }
            return new Value(seen, rows);
        } catch (IOException e) {
            // The checksum is correct, so a gateway with another format wrote the value.
            throw new Unfit(true);
        }
    }

    private static void write(byte[] bytes, DataOutputStream out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("length: " + length);
        }
        return in.readNBytes(length);
    }
}
