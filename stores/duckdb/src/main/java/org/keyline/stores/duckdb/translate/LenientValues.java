package org.keyline.stores.duckdb.translate;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;

/**
 * What a column takes of a value that does not fit it in LOAD DATA with IGNORE: text is cut, numbers become the nearest
 * that the column holds, text that is no number the number it begins with. What has no such rule stays an error.
 */
final class LenientValues {
    private static final int TOO_LONG = 1406;
    private static final int OUT_OF_RANGE = 1264;
    private static final int NO_NUMBER = 1366;
    private static final int TRUNCATED = 1265;

    private LenientValues() {}

    /**
     * The value that is stored instead.
     *
     * @param error the error of other statements
     * @param warned hears of the warning
     */
    static @Nullable Object of(
            Object value,
            ColumnSchema column,
            StatementRefusedException error,
            Consumer<StatementRefusedException> warned) {
        ColumnType type = column.type();
        if ((error.code() == NO_NUMBER || error.code() == TRUNCATED) && isNumber(type) && !(value instanceof byte[])) {
            Object number = Numbers.of(value);
            warned.accept(error);
            try {
                return StoredValues.of(number, column);
            } catch (StatementRefusedException e) {
                return nearest(number, column, e);
            }
        }
        Object stored = error.code() == TOO_LONG ? cut(value, type, error) : nearest(value, column, error);
        warned.accept(
                error.code() == TOO_LONG
                        ? new StatementRefusedException(
                                TRUNCATED, "01000", "Data truncated for column '" + column.name() + "' at row 1")
                        : error);
        return stored;
    }

    private static boolean isNumber(ColumnType type) {
        return switch (type.kind()) {
            case TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT, LARGEINT, FLOAT, DOUBLE, DECIMAL -> true;
            default -> false;
        };
    }

    private static Object cut(Object value, ColumnType type, StatementRefusedException error) {
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT -> {
                String text = Values.text(value);
                String cut = text.substring(0, text.offsetByCodePoints(0, type.length()));
                yield type.kind() == ColumnType.Kind.CHAR ? cut.replaceAll(" +$", "") : cut;
            }
            case BINARY, VARBINARY, BLOB -> Arrays.copyOf(Values.bytes(value), type.length());
            default -> throw error;
        };
    }

    private static Object nearest(Object value, ColumnSchema column, StatementRefusedException error) {
        ColumnType type = column.type();
        Object number = error.code() == OUT_OF_RANGE && isNumber(type) ? Numbers.of(value) : Double.NaN;
        if (number instanceof Double d && Double.isNaN(d)) {
            throw error;
        }
        boolean negative = number instanceof Double d ? d < 0 : new BigDecimal(number.toString()).signum() < 0;
        int bits = bits(type);
        if (bits > 0) {
            return Values.narrowed(
                    type.unsigned()
                            ? negative
                                    ? BigInteger.ZERO
                                    : BigInteger.TWO.pow(bits).subtract(BigInteger.ONE)
                            : negative
                                    ? BigInteger.TWO.pow(bits - 1).negate()
                                    : BigInteger.TWO.pow(bits - 1).subtract(BigInteger.ONE));
        }
        if (type.kind() != ColumnType.Kind.DECIMAL) {
            throw error;
        }
        BigDecimal most = new BigDecimal(BigInteger.TEN.pow(type.length()).subtract(BigInteger.ONE), type.scale());
        return !negative ? most : type.unsigned() ? BigDecimal.ZERO.setScale(type.scale()) : most.negate();
    }

    private static int bits(ColumnType type) {
        return switch (type.kind()) {
            case TINYINT -> 8;
            case SMALLINT -> 16;
            case MEDIUMINT -> 24;
            case INT -> 32;
            case BIGINT -> 64;
            case LARGEINT -> 128;
            default -> 0;
        };
    }
}
