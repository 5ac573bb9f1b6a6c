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
 * Lines as values of the tier: the version of the format, what the rows are made by, their row format, the whole key, what their load had
 * heard, the rows, a checksum. The keys of the rows are not among it: who reads a value makes them of the rows, as a load does.
 */
final class ValueCodec {
    private static final int VERSION = 1;

    /**
     * A line's rows.
     *
     * @param heard noted when their load began
     */
    record Value(Heard heard, List<byte[]> rows) {}

    /** A value of another kind than was asked for, or none at all. */
    static final class Unfit extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean damaged;

        Unfit(boolean damaged) {
            super(damaged ? "damaged" : "of something else", null, false, false);
            this.damaged = damaged;
        }

        /** Whether its bytes are not those of any value of this version. */
        boolean damaged() {
            return damaged;
        }
    }

    private ValueCodec() {}

    /**
     * A line as a value.
     *
     * @param origin what its rows are made by
     * @return null if it would be longer than allowed
     */
    static byte @Nullable [] encode(byte[] origin, Heard heard, Line line, int maxBytes) {
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
            PeerCodec.write(heard, out);
            out.writeInt(rows);
            for (int row = 0; row < rows; row++) {
                out.writeInt(line.rowLength(row));
                out.write(line.bytes(), line.rowOffset(row), line.rowLength(row));
            }
            out.flush();
            out.writeInt(PeerCodec.checksum(bytes.toByteArray(), bytes.size()));
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail so", e);
        }
        return bytes.size() > maxBytes ? null : bytes.toByteArray();
    }

    /**
     * The value of a key.
     *
     * @param origin what rows are made by here
     * @throws Unfit where it is none, is damaged, or is that of other rows
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
            Heard heard = PeerCodec.heard(in);
            int count = in.readInt();
            List<byte[]> rows = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                rows.add(bytes(in));
            }
            if (in.available() > 0) {
                throw new Unfit(true);
            }
            return new Value(heard, rows);
        } catch (IOException e) {
            // The checksum is right, so a gateway of another kind made it.
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
