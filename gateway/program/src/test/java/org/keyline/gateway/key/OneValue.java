package org.keyline.gateway.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;

/** One parameter, of the class that Connector/J binds. Immutable. */
record OneValue(Object value) implements SlotValues {
    @Override
    public Kind kind(int slot) {
        if (value instanceof Long) {
            return Kind.INTEGER;
        }
        if (value instanceof BigDecimal) {
            return Kind.DECIMAL;
        }
        if (value instanceof Double number) {
            return SlotValues.kindOf(number);
        }
        if (value instanceof LocalDate) {
            return Kind.DATE;
        }
        return value instanceof LocalDateTime ? Kind.DATETIME : Kind.TEXT;
    }

    @Override
    public long integer(int slot) {
        if (value instanceof Long number) {
            return number;
        }
        if (value instanceof Double number) {
            return number.longValue();
        }
        if (value instanceof LocalDate date) {
            return packed(date.atStartOfDay());
        }
        return packed((LocalDateTime) value);
    }

    private static long packed(LocalDateTime at) {
        return PackedTime.dateTime(
                at.getYear(),
                at.getMonthValue(),
                at.getDayOfMonth(),
                at.getHour(),
                at.getMinute(),
                at.getSecond(),
                at.getNano() / 1000);
    }

    @Override
    public byte[] bytes(int slot) {
        return (value instanceof BigDecimal number ? number.toPlainString() : (String) value).getBytes(UTF_8);
    }

    @Override
    public int offset(int slot) {
        return 0;
    }

    @Override
    public int length(int slot) {
        return bytes(slot).length;
    }
}
