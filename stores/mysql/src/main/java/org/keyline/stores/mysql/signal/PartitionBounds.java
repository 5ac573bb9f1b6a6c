package org.keyline.stores.mysql.signal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.PartitionSpans;

/** Parses partition bounds of Doris and StarRocks. Skips bounds that it does not understand. */
final class PartitionBounds {
    /** Maximum number of spans. A table with more spans has no known partitions. */
    private static final int MAX_SPANS = 10_000;

    private static final String LITERAL = "[\\w .:/+-]+";

    /** Matches {@code [types: [INT]; keys: [1]; ..types: [INT]; keys: [5]; )}. */
    private static final Pattern RANGE = Pattern.compile(
            "\\[types: \\[(\\w+)]; keys: \\[([\\d .:-]+)]; \\.\\.types: \\[\\1]; keys: \\[([\\d .:-]+|MAXVALUE)]; \\)");

    /** Matches a value in {@code [types: [INT]; keys: [1]; , types: [INT]; keys: [2]; ]}. */
    private static final Pattern LISTED = Pattern.compile("types: \\[(\\w+)]; keys: \\[(" + LITERAL + ")]; ");

    private static final Pattern LIST = Pattern.compile("\\[" + LISTED + "(, " + LISTED + ")*]");

    /** Matches a value in {@code [["1"],["2"]]}. */
    private static final Pattern QUOTED = Pattern.compile("\\[\"(" + LITERAL + ")\"]");

    private static final Pattern QUOTED_LIST = Pattern.compile("\\[" + QUOTED + "(," + QUOTED + ")*]");

    /** Matches the partition column as StarRocks writes it, with its type. */
    private static final Pattern COLUMN = Pattern.compile("`([^`]+)` (\\w+).*", Pattern.DOTALL);

    private static final Pattern NAME = Pattern.compile("[^`,]+");

    private final List<PartitionSpans.Span> spans = new ArrayList<>();
    private @Nullable String column;
    private @Nullable String type;
    private boolean understood = true;

    /**
     * Adds the bounds of a partition.
     *
     * @param key the partition columns
     * @param bounds a range, or a list of values
     */
    void add(long id, @Nullable String key, @Nullable String bounds) {
        if (key == null || bounds == null || !isOfColumn(key)) {
            understood = false;
            return;
        }
        Matcher range = RANGE.matcher(bounds);
        if (range.matches()) {
            String to = range.group(3);
            // A range whose bounds are equal is empty.
            if (isOfType(range.group(1)) && !range.group(2).equals(to)) {
                spans.add(new PartitionSpans.Span(id, range.group(2), to.equals("MAXVALUE") ? null : to));
            }
        } else if (LIST.matcher(bounds).matches()) {
            Matcher value = LISTED.matcher(bounds);
            while (value.find()) {
                if (isOfType(value.group(1))) {
                    spans.add(new PartitionSpans.Span(id, value.group(2), value.group(2)));
                }
            }
        } else if (type != null && QUOTED_LIST.matcher(bounds).matches()) {
            Matcher value = QUOTED.matcher(bounds);
            while (value.find()) {
                spans.add(new PartitionSpans.Span(id, value.group(1), value.group(1)));
            }
        }
        understood &= spans.size() <= MAX_SPANS;
    }

    private boolean isOfColumn(String key) {
        Matcher declared = COLUMN.matcher(key);
        boolean typed = declared.matches() && !key.contains(", `");
        if (!typed && !NAME.matcher(key).matches()) {
            return false;
        }
        String name = typed ? declared.group(1) : key;
        if (typed && type == null) {
            type = declared.group(2).toUpperCase(Locale.ROOT);
        }
        if (column == null) {
            column = name;
        }
        return name.equals(column);
    }

    /** Returns whether a bound has the first bound's type. If not, it bounds an expression. */
    private boolean isOfType(String bound) {
        String plain = bound.endsWith("V2") ? bound.substring(0, bound.length() - 2) : bound;
        if (type == null) {
            type = plain;
        }
        return plain.equals(type);
    }

    /** Returns the spans of partitions; null if they do not show which partition a row is in. */
    @Nullable
    PartitionSpans partitioning() {
        return understood && column != null && type != null && !spans.isEmpty()
                ? new PartitionSpans(column, type, spans)
                : null;
    }
}
