package org.keyline.stores.duckdb.translate;

import java.util.List;
import java.util.Set;

/**
 * A query in the words of Calcite's parser. Every value is a {@code ?}; names that are not plain words, and constructs that the
 * parser does not know, are quoted names that begin with {@code #}.
 *
 * @param sql one line of ASCII
 * @param values what each {@code ?} stands for, in order
 * @param names what {@code #n<index>} stands for
 * @param offsets pairs of an offset in {@code sql} and the token it was made of
 * @param pinned slots that are part of {@code sql}
 */
public record ParserText(
        String sql, List<Parameter> values, List<String> names, List<int[]> offsets, Set<Integer> pinned) {

    /** Prefix of names that stand for something else. */
    public static final char MARK = '#';

    /** The hint that holds the partitions of a table. */
    public static final String PARTITIONS = "#partitions";

    /** A name as the statement has it. */
    public String name(String parsed) {
        return parsed.startsWith("#n") ? names.get(Integer.parseInt(parsed.substring(2))) : parsed;
    }

    /** The token that a column (counted from 1) of {@code sql} was made of. */
    public int token(int column) {
        int token = 0;
        for (int[] pair : offsets) {
            if (pair[0] >= column) {
                break;
            }
            token = pair[1];
        }
        return token;
    }
}
