package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import org.keyline.protocol.Lenenc;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/** Dates. A string is compared as a date only in its canonical spelling. Immutable; thread-safe. */
final class DayKey extends KeyColumn {
    @Override
    boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
        long packed = Temporal.NONE;
        if (values.kind(slot) == SlotValues.Kind.DATE) {
            packed = values.integer(slot);
        } else if (values.kind(slot) == SlotValues.Kind.TEXT) {
            packed = Temporal.parseDate(values.bytes(slot), values.offset(slot), values.length(slot));
        }
        if (negated || packed == Temporal.NONE) {
            return false;
        }
        key.int64(packed);
        return true;
    }

    @Override
    void text(byte[] row, int offset, int length, KeyEncoder key) {
        key.int64(Temporal.cell(Temporal.parseDate(row, offset, length)));
    }

    @Override
    void binary(byte[] row, int offset, int length, KeyEncoder key) {
        key.int64(Temporal.cell(Temporal.ofBinary(row, offset, length)));
    }

    @Override
    void literal(KeyReader key, ByteBuf sql) {
        StringBuilder text = new StringBuilder().append('\'');
        Temporal.appendDate(text, key.int64());
        ByteBufUtil.writeAscii(sql, text.append('\''));
    }

    @Override
    int parameterType() {
        return TYPE_VAR_STRING;
    }

    @Override
    void parameter(KeyReader key, ByteBuf values) {
        StringBuilder text = new StringBuilder();
        Temporal.appendDate(text, key.int64());
        Lenenc.writeBytes(values, text.toString().getBytes(StandardCharsets.US_ASCII));
    }
}
