package org.keyline.gateway.key;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import org.keyline.protocol.Lenenc;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/** A key column of byte strings. Immutable; thread-safe. */
final class BytesKey extends KeyColumn {
    private final boolean fixed;
    private final int declared;

    /**
     * @param fixed whether the store pads shorter values with zeros when it writes them, although
     * it compares them without padding
     * @param declared the declared length of the column in bytes
     */
    BytesKey(boolean fixed, int declared) {
        this.fixed = fixed;
        this.declared = declared;
    }

    @Override
    public boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
        SlotValues.Kind kind = values.kind(slot);
        boolean string = kind == SlotValues.Kind.TEXT || kind == SlotValues.Kind.BYTES;
        int length = string ? values.length(slot) : Integer.MAX_VALUE;
        if (negated || (fixed ? length != declared : length > declared)) {
            return false;
        }
        int offset = values.offset(slot);
        key.bytes(values.bytes(slot), offset, offset + length);
        return true;
    }

    @Override
    public boolean text(byte[] row, int offset, int length, KeyEncoder key) {
        key.bytes(row, offset, offset + length);
        return true;
    }

    @Override
    public boolean binary(byte[] row, int offset, int length, KeyEncoder key) {
        key.bytes(row, offset, offset + length);
        return true;
    }

    @Override
    public void literal(KeyReader key, ByteBuf sql) {
        String digits = ByteBufUtil.hexDump(key.bytes());
        sql.writeCharSequence("x'" + digits + "'", StandardCharsets.US_ASCII);
    }

    @Override
    public int parameterType() {
        return TYPE_BLOB;
    }

    @Override
    public void parameter(KeyReader key, ByteBuf values) {
        Lenenc.writeBytes(values, key.bytes());
    }
}
