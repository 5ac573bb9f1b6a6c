package org.keyline.stores.duckdb.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.keyline.planner.StatementRefusedException;

/**
 * The file format that FIELDS and LINES of LOAD DATA describe. Immutable.
 *
 * @param fieldEnd TERMINATED BY of FIELDS
 * @param enclosed ENCLOSED BY: one character, or empty for none
 * @param escape ESCAPED BY: one character, or empty for none
 * @param lineStart STARTING BY, or empty for none
 * @param lineEnd TERMINATED BY of LINES; if empty, a record ends with its last field
 */
public record FileFormat(String fieldEnd, String enclosed, String escape, String lineStart, String lineEnd) {
    /** The format of a statement without FIELDS and LINES. */
    public static final FileFormat DEFAULT = new FileFormat("\t", "", "\\", "", "\n");

    public FileFormat {
        if (enclosed.getBytes(UTF_8).length > 1 || escape.getBytes(UTF_8).length > 1) {
            throw new StatementRefusedException(
                    1083, "42000", "Field separator argument is not what is expected; check the manual");
        }
        if (fieldEnd.isEmpty() && enclosed.isEmpty()) {
            throw StatementRefusedException.unsupported("LOAD DATA of fields that are told apart by their width");
        }
        lineEnd = lineEnd.equals(fieldEnd) ? "" : lineEnd;
    }
}
