package org.keyline.gateway.key;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.protocol.Lenenc;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/** A key column of text. {@link TextCollation} compares it by bytes. Immutable; thread-safe. */
final class TextKey extends KeyColumn {
    private final TextCollation collation;
    private final boolean fixed;
    private final int maxLength;

    private TextKey(TextCollation collation, boolean fixed, int maxLength) {
        this.collation = collation;
        this.fixed = fixed;
        this.maxLength = maxLength;
    }

    static @Nullable TextKey of(ColumnType type) {
        boolean fixed = type.kind() == ColumnType.Kind.CHAR;
        TextCollation collation = TextCollation.of(type.collation(), fixed);
        return collation == null ? null : new TextKey(collation, fixed, type.length());
    }

    @Override
    public boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
        if (negated || values.kind(slot) != SlotValues.Kind.TEXT) {
            return false;
        }
        byte[] text = values.bytes(slot);
        int offset = values.offset(slot);
        int length = collation.significant(text, offset, values.length(slot));
        // The store removes the trailing spaces of a CHAR even if comparisons count them.
        boolean cut = fixed && length > 0 && text[offset + length - 1] == ' ';
        if (length < 0 || cut || tooLong(text, offset, length)) {
            return false;
        }
        append(text, offset, length, key);
        return true;
    }

    /**
     * Returns whether the text exceeds the declared length. No row has such a text, but on INSERT
     * the store may truncate it.
     */
    private boolean tooLong(byte[] text, int offset, int length) {
        if (maxLength == 0 || length <= maxLength) {
            return false;
        }
        int characters = length;
        if (!collation.countsBytes()) {
            for (int i = offset; i < offset + length; i++) {
                characters -= (text[i] & 0xC0) == 0x80 ? 1 : 0;
            }
        }
        return characters > maxLength;
    }

    @Override
    public boolean text(byte[] row, int offset, int length, KeyEncoder key) {
        int stored = length;
        while (fixed && stored > 0 && row[offset + stored - 1] == ' ') {
            stored--;
        }
        int significant = collation.significant(row, offset, stored);
        if (significant < 0) {
            return false;
        }
        append(row, offset, significant, key);
        return true;
    }

    @Override
    public boolean binary(byte[] row, int offset, int length, KeyEncoder key) {
        return text(row, offset, length, key);
    }

    private void append(byte[] text, int offset, int length, KeyEncoder key) {
        byte[] ranks = collation.ranks();
        if (ranks == null) {
            key.bytes(text, offset, offset + length);
        } else {
            key.bytes(text, offset, offset + length, ranks);
        }
    }

    @Override
    public void literal(KeyReader key, ByteBuf sql) {
        sql.writeByte('\'');
        for (byte at : collation.representative(key.bytes())) {
            if (at == '\'' || at == '\\') {
                sql.writeByte('\\');
            }
            if (at == 0) {
                sql.writeByte('\\').writeByte('0');
            } else {
                sql.writeByte(at);
            }
        }
        sql.writeByte('\'');
    }

    @Override
    public int parameterType() {
        return TYPE_VAR_STRING;
    }

    @Override
    public void parameter(KeyReader key, ByteBuf values) {
        Lenenc.writeBytes(values, collation.representative(key.bytes()));
    }

    @Override
    public boolean ordered() {
        return collation.ordered();
    }

    @Override
    public boolean isWrittenOneWay() {
        return collation.ranks() == null && (fixed || !collation.pads());
    }
}
