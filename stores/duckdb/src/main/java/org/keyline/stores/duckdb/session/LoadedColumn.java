package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.TableDefinition.Flavour;

/**
 * A column that SET of LOAD DATA reads. MySQL stores the field first and then reads the column, so the two are told apart only where the
 * field is not stored as it is: such a field is refused.
 */
final class LoadedColumn {
    private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9][0-9]{0,17})");
    private static final Pattern DECIMAL = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?");

    private LoadedColumn() {}

    /** What stands for a column in an expression, with one question mark for its text; 1235 where a column can't be read. */
    static String sql(ColumnSchema column, boolean otherwise) {
        ColumnType type = column.type();
        String sql = otherwise
                ? ""
                : switch (type.kind()) {
                    case VARCHAR, TEXT -> "?";
                    case TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT ->
                        "CAST(? AS " + (type.unsigned() ? "UNSIGNED" : "SIGNED") + ")";
                    case DECIMAL -> "CAST(? AS DECIMAL(" + type.length() + ", " + type.scale() + "))";
                    default -> "";
                };
        if (sql.isEmpty()) {
            throw StatementRefusedException.unsupported("SET of LOAD DATA that reads the column '" + column.name()
                    + "' like this; read its field into a user variable");
        }
        return sql;
    }

    /** Whether the column holds just this text when the field is stored. */
    static boolean fits(ColumnSchema column, String text, Flavour flavour) {
        ColumnType type = column.type();
        return switch (type.kind()) {
            case VARCHAR -> length(text, flavour) <= type.length();
            case TEXT -> text.getBytes(UTF_8).length <= type.length();
            case TINYINT -> inRange(text, 8, type.unsigned());
            case SMALLINT -> inRange(text, 16, type.unsigned());
            case MEDIUMINT -> inRange(text, 24, type.unsigned());
            case INT -> inRange(text, 32, type.unsigned());
            case BIGINT -> inRange(text, 63, type.unsigned());
            case DECIMAL -> isDecimal(text, type);
            default -> false;
        };
    }

    private static int length(String text, Flavour flavour) {
        return flavour == Flavour.DORIS ? text.getBytes(UTF_8).length : text.codePointCount(0, text.length());
    }

    /** Up to 18 digits, which are a long. */
    private static boolean inRange(String text, int bits, boolean unsigned) {
        if (!INTEGER.matcher(text).matches()) {
            return false;
        }
        long value = Long.parseLong(text);
        long least = unsigned ? 0 : -1L << (bits - 1);
        return value >= least && value <= (1L << (unsigned ? bits : bits - 1)) - 1;
    }

    private static boolean isDecimal(String text, ColumnType type) {
        if (text.length() > 100 || !DECIMAL.matcher(text).matches()) {
            return false;
        }
        BigDecimal value = new BigDecimal(text);
        return value.scale() <= type.scale()
                && value.precision() - value.scale() <= type.length() - type.scale()
                && (!type.unsigned() || value.signum() >= 0);
    }
}
