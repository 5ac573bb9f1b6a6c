package org.keyline.stores.duckdb.session;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.Temporal;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.reply.Cells;

/** Converts the values of a COM_STMT_EXECUTE to Java objects by their bound types. */
final class BoundValues {
    private static final int NANOS_PER_MICRO = 1000;

    private BoundValues() {}

    /** @param asciiOnly whether text outside ASCII is refused */
    static List<@Nullable Object> of(ExecuteParameters parameters, boolean asciiOnly) {
        List<@Nullable Object> values = new ArrayList<>(parameters.count());
        for (int i = 0; i < parameters.count(); i++) {
            values.add(parameters.isNull(i) ? null : value(parameters, i, asciiOnly));
        }
        return values;
    }

    @Nullable
    private static Object value(ExecuteParameters parameters, int i, boolean asciiOnly) {
        if (parameters.isLongData(i)) {
            return isBinary(parameters.type(i)) ? bytes(parameters, i) : text(parameters, i, asciiOnly);
        }
        return switch (parameters.type(i)) {
            case ColumnType.TINY,
                    ColumnType.SHORT,
                    ColumnType.INT24,
                    ColumnType.LONG,
                    ColumnType.YEAR,
                    ColumnType.BOOL -> parameters.int64(i);
            case ColumnType.LONGLONG -> {
                long value = parameters.int64(i);
                yield parameters.unsigned(i) && value < 0 ? unsigned(value) : (Object) value;
            }
            case ColumnType.FLOAT -> (double) parameters.float32(i);
            case ColumnType.DOUBLE -> parameters.float64(i);
            case ColumnType.DECIMAL, ColumnType.NEWDECIMAL -> decimal(parameters, i);
            case ColumnType.DATE,
                    ColumnType.NEWDATE,
                    ColumnType.DATETIME,
                    ColumnType.TIMESTAMP,
                    ColumnType.DATETIME2,
                    ColumnType.TIMESTAMP2 -> moment(parameters, i);
            case ColumnType.TIME, ColumnType.TIME2 ->
                throw StatementRefusedException.unsupported("parameters of the type TIME");
            case ColumnType.NULL -> null;
            default -> isBinary(parameters.type(i)) ? bytes(parameters, i) : text(parameters, i, asciiOnly);
        };
    }

    private static Object unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    private static boolean isBinary(int type) {
        return switch (type) {
            case ColumnType.TINY_BLOB,
                    ColumnType.BLOB,
                    ColumnType.MEDIUM_BLOB,
                    ColumnType.LONG_BLOB,
                    ColumnType.BIT,
                    ColumnType.GEOMETRY -> true;
            default -> false;
        };
    }

    private static byte[] bytes(ExecuteParameters parameters, int i) {
        int from = parameters.offset(i);
        return Arrays.copyOfRange(parameters.source(i), from, from + parameters.length(i));
    }

    /**
     * Returns a String, or the bytes unchanged if they are not valid UTF-8, because drivers bind
     * text and bytes with the same type.
     */
    private static Object text(ExecuteParameters parameters, int i, boolean asciiOnly) {
        if (asciiOnly) {
            Cells.requireAscii(bytes(parameters, i), "a value");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(parameters.source(i), parameters.offset(i), parameters.length(i)))
                    .toString();
        } catch (CharacterCodingException e) {
            return bytes(parameters, i);
        }
    }

    private static Object decimal(ExecuteParameters parameters, int i) {
        String text = parameters.text(i, StandardCharsets.US_ASCII);
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw Errors.error(1366, "HY000", "Incorrect decimal value: '" + text + "'");
        }
    }

    private static Object moment(ExecuteParameters parameters, int i) {
        Temporal t = new Temporal();
        parameters.temporal(i, t);
        try {
            if (parameters.type(i) == ColumnType.DATE || parameters.type(i) == ColumnType.NEWDATE) {
                return LocalDate.of(t.year(), t.month(), t.days());
            }
            return LocalDateTime.of(
                    t.year(), t.month(), t.days(), t.hour(), t.minute(), t.second(), t.micros() * NANOS_PER_MICRO);
        } catch (DateTimeException e) {
            throw Errors.error(
                    1292, "22007", "Incorrect datetime value: '" + parameters.text(i, StandardCharsets.US_ASCII) + "'");
        }
    }
}
