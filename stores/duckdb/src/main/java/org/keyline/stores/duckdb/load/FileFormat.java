package org.keyline.stores.duckdb.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.keyline.planner.StatementRefusedException;

/**
 * The file format that FIELDS and LINES of LOAD DATA describe. Immutable.
 *
 * @param fieldEnd TERMINATED BY of FIELDS
 * @param enclosed ENCLOSED BY: one character, or empty for none
 * @param escape ESCAPED BY: one character, or empty for none
 * @param lineEnd TERMINATED BY of LINES
 */
public record FileFormat(String fieldEnd, String enclosed, String escape, String lineEnd) {
    /** The format of a statement without FIELDS and LINES. */
    public static final FileFormat DEFAULT = new FileFormat("\t", "", "\\", "\n");

    public FileFormat {
        if (enclosed.getBytes(UTF_8).length > 1 || escape.getBytes(UTF_8).length > 1) {
            throw new StatementRefusedException(
                    1083, "42000", "Field separator argument is not what is expected; check the manual");
        }
        if (fieldEnd.isEmpty() && enclosed.isEmpty()) {
            throw StatementRefusedException.unsupported("LOAD DATA of fields that are told apart by their width");
        }
        if (lineEnd.isEmpty() || lineEnd.equals(fieldEnd)) {
            throw StatementRefusedException.unsupported("LOAD DATA of lines without an end of their own");
        }
    }
}
