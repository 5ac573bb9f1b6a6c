package org.keyline.ycsb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import site.ycsb.Utils;
import site.ycsb.generator.ScrambledZipfianGenerator;

/** The rows of YCSB's table as a server sends them. Confined to one thread. */
final class LightRows {
    private static final int FIELDS = 10;
    private static final int FIELD_BYTES = 100;
    /** Header and NULL bitmap of a binary row. The bitmap has two bits more than columns. */
    private static final byte[] BINARY = new byte[1 + (FIELDS + 1 + 2 + 7) / 8];

    private final byte[][] keys;
    private final byte[][] cells;
    private final ScrambledZipfianGenerator next;

    LightRows(int records) {
        keys = new byte[records][];
        cells = new byte[records][];
        for (int row = 0; row < records; row++) {
            String key = "user" + Utils.hash(row);
            keys[row] = key.getBytes(StandardCharsets.US_ASCII);
            ByteBuffer cell = ByteBuffer.allocate(1 + keys[row].length + FIELDS * (1 + FIELD_BYTES));
            cell.put((byte) keys[row].length).put(keys[row]);
            for (int field = 0; field < FIELDS; field++) {
                cell.put((byte) FIELD_BYTES)
                        .put(VerifiedWorkload.value(key, "field" + field, FIELD_BYTES)
                                .getBytes(StandardCharsets.US_ASCII));
            }
            cells[row] = cell.array();
        }
        next = new ScrambledZipfianGenerator(records);
    }

    /** Returns the number of a random row, by a Zipfian distribution. */
    int next() {
        return next.nextValue().intValue();
    }

    byte[] key(int row) {
        return keys[row];
    }

    /** Returns whether a row packet contains exactly this row. */
    boolean is(int row, ByteBuffer packet, boolean binary) {
        int from = binary ? BINARY.length : 0;
        return (!binary || packet.slice(0, Math.min(from, packet.limit())).equals(ByteBuffer.wrap(BINARY)))
                && packet.limit() - from == cells[row].length
                && packet.slice(from, packet.limit() - from).equals(ByteBuffer.wrap(cells[row]));
    }

    byte[] packet(int row, boolean binary) {
        int from = binary ? BINARY.length : 0;
        byte[] packet = Arrays.copyOf(BINARY, from + cells[row].length);
        System.arraycopy(cells[row], 0, packet, from, cells[row].length);
        return packet;
    }
}
