package org.keyline.stores.duckdb.translate;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Writes values as DuckDB literals, for the few places where DuckDB accepts no parameter. */
public final class DuckLiterals {

    private DuckLiterals() {}

    public static String text(@Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof String string) {
            return string(string);
        }
        if (value instanceof Long number) {
            return "CAST(" + number + " AS BIGINT)";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof Double number) {
            return "CAST('" + number + "' AS DOUBLE)";
        }
        if (value instanceof byte[] bytes) {
            return "unhex('" + HexFormat.of().formatHex(bytes) + "')";
        }
        if (value instanceof LocalDate date) {
            return "DATE '" + date + "'";
        }
        if (value instanceof LocalDateTime moment) {
            return "TIMESTAMP '" + Temporals.text(moment) + "'";
        }
        return value.toString();
    }

    /**
     * Returns a string literal, with a call of chr for the zero character, which DuckDB rejects.
     */
    public static String string(String value) {
        String quoted = "'" + value.replace("'", "''") + "'";
        return value.indexOf('\0') < 0 ? quoted : "(" + quoted.replace("\0", "' || chr(0) || '") + ")";
    }
}
