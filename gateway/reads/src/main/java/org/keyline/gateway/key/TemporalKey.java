package org.keyline.gateway.key;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import org.keyline.protocol.Lenenc;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/** A key column of dates, or dates with times, without time zone. Immutable. */
final class TemporalKey extends KeyColumn {
    private final boolean timed;
    /** Microseconds in one unit of the column's last digit. */
    private final int unit;

    private TemporalKey(boolean timed, int unit) {
        this.timed = timed;
        this.unit = unit;
    }

    static TemporalKey days() {
        return new TemporalKey(false, 1);
    }

    /** Returns a key column of dates with time of day. */
    static TemporalKey moments(int fractionDigits) {
        int micros = 1_000_000;
        for (int i = 0; i < fractionDigits; i++) {
            micros /= 10;
        }
        return new TemporalKey(true, micros);
    }

    @Override
    public boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
        long packed = PackedTime.NONE;
        if (values.kind(slot) == (timed ? SlotValues.Kind.DATETIME : SlotValues.Kind.DATE)) {
            packed = values.integer(slot);
        } else if (values.kind(slot) == SlotValues.Kind.TEXT) {
            packed = parse(values.bytes(slot), values.offset(slot), values.length(slot));
        }
        if (negated || packed == PackedTime.NONE || (timed && PackedTime.micros(packed) % unit != 0)) {
            return false;
        }
        key.int64(packed);
        return true;
    }

    private long parse(byte[] bytes, int offset, int length) {
        return timed ? PackedTime.parseDateTime(bytes, offset, length) : PackedTime.parseDate(bytes, offset, length);
    }

    @Override
    public boolean text(byte[] row, int offset, int length, KeyEncoder key) {
        return cell(parse(row, offset, length), key);
    }

    @Override
    public boolean binary(byte[] row, int offset, int length, KeyEncoder key) {
        return cell(PackedTime.ofBinary(row, offset, length), key);
    }

    /**
     * Appends a date. Returns false unless the date exists in the calendar, because only existing
     * dates compare by their fields alone.
     */
    private static boolean cell(long packed, KeyEncoder key) {
        if (packed == PackedTime.NONE) {
            return false;
        }
        key.int64(packed);
        return true;
    }

    @Override
    public void literal(KeyReader key, ByteBuf sql) {
        ByteBufUtil.writeAscii(sql, "'" + spelled(key) + "'");
    }

    @Override
    public int parameterType() {
        return TYPE_VAR_STRING;
    }

    @Override
    public void parameter(KeyReader key, ByteBuf values) {
        Lenenc.writeBytes(values, spelled(key).getBytes(StandardCharsets.US_ASCII));
    }

    private String spelled(KeyReader key) {
        StringBuilder text = new StringBuilder();
        if (timed) {
            PackedTime.appendDateTime(text, key.int64());
        } else {
            PackedTime.appendDate(text, key.int64());
        }
        return text.toString();
    }
}
