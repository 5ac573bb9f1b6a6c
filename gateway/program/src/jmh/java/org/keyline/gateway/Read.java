package org.keyline.gateway;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A read of an {@link EmbeddedGateway}, by the number of a user. */
public enum Read {
    /** A row of 1 KB by its key. */
    ROW("SELECT * FROM usertable WHERE YCSB_KEY = ?"),
    /** One of its ten fields. */
    FIELD("SELECT FIELD0 FROM usertable WHERE YCSB_KEY = ?"),
    /** A key without a row. */
    ABSENT("SELECT * FROM usertable WHERE YCSB_KEY = ?"),
    /** Twelve rows by twelve keys: as many lines. */
    IN("SELECT * FROM usertable WHERE YCSB_KEY IN (" + places() + ")"),
    /** Twelve rows by twelve keys that have one prefix: one line. */
    IN_LINE("SELECT * FROM visits WHERE visitor = ? AND visit IN (" + places() + ")"),
    /** One of the twelve rows of a line. */
    VISIT("SELECT * FROM visits WHERE visitor = ? AND visit = ?"),
    /** Twelve rows by their prefix: one line. */
    PREFIX("SELECT * FROM visits WHERE visitor = ?"),
    /** The same in the order of the key. */
    ORDERED("SELECT * FROM visits WHERE visitor = ? ORDER BY visit"),
    /** Twenty rows by their prefix. */
    PREFIX_20("SELECT * FROM pages WHERE reader = ? ORDER BY page"),
    /** The same twenty rows by bounds on the next key column. */
    RANGE_20("SELECT * FROM pages WHERE reader = ? AND page >= ? AND page < ? ORDER BY page"),
    /** The ten distinct values of the first column after the prefix, in a thousand rows. */
    DISTINCT_STEPS("SELECT DISTINCT stage FROM stages WHERE walker = ? ORDER BY stage"),
    /** The same twelve rows by bounds on the next key column. */
    RANGE("SELECT * FROM visits WHERE visitor = ? AND visit >= ? AND visit < ? ORDER BY visit"),
    /** The same twelve rows as a page of a keyset. */
    PAGE("SELECT * FROM visits WHERE visitor = ? AND (visit > ? OR (visit = ? AND visit > ?)) ORDER BY visit LIMIT 20"),
    /** The same twelve rows, each compared with a condition. */
    CONDITION("SELECT * FROM visits WHERE visitor = ? AND FIELD0 <> ? ORDER BY visit"),
    /** Counts the rows that meet a condition: half of a thousand. */
    COUNT_STEPS("SELECT COUNT(*) FROM steps WHERE walker = ? AND height < ?"),
    /** Ten of a thousand rows, by conditions on two columns. */
    SOME_STEPS("SELECT * FROM steps WHERE walker = ? AND height >= ? AND place IN (?, ?) ORDER BY step LIMIT 10"),
    /** Counts the rows of a prefix. */
    COUNT("SELECT COUNT(*) FROM visits WHERE visitor = ?"),
    /** Counts the rows of a range. */
    COUNT_RANGE("SELECT COUNT(*) FROM visits WHERE visitor = ? AND visit > ?"),
    /** The ends of a range. */
    ENDS("SELECT MIN(visit), MAX(visit) FROM visits WHERE visitor = ? AND visit > ?");

    private final String sql;

    Read(String sql) {
        this.sql = sql;
    }

    /** The statement with placeholders. */
    String sql() {
        return sql;
    }

    /** The statement with literals. */
    String sql(int user, int users) {
        String text = sql;
        for (Object value : values(user, users)) {
            text = text.replaceFirst("\\?", value instanceof Integer ? value.toString() : "'" + value + "'");
        }
        return text;
    }

    /** Strings and integers. */
    List<Object> values(int user, int users) {
        return switch (this) {
            case ROW, FIELD -> List.of(EmbeddedGateway.key(user));
            case ABSENT -> List.of("nobody" + user);
            case IN ->
                IntStream.range(user, user + EmbeddedGateway.VISITS)
                        .<Object>mapToObj(each -> EmbeddedGateway.key(each % users))
                        .toList();
            case IN_LINE ->
                Stream.concat(
                                Stream.of(user),
                                IntStream.range(0, EmbeddedGateway.VISITS).boxed())
                        .<Object>map(each -> each)
                        .toList();
            case PREFIX, ORDERED, COUNT -> List.of(user);
            case PREFIX_20, DISTINCT_STEPS -> List.of(0);
            case RANGE_20 -> List.of(0, 0, EmbeddedGateway.PAGES);
            case RANGE -> List.of(user, 0, EmbeddedGateway.VISITS);
            case PAGE -> List.of(user, -1, -1, -1);
            case VISIT, COUNT_RANGE, ENDS -> List.of(user, 0);
            case CONDITION -> List.of(user, "y");
            case COUNT_STEPS -> List.of(0, EmbeddedGateway.STEPS / 2);
            case SOME_STEPS -> List.of(0, EmbeddedGateway.STEPS / 2, "place7", "place8");
        };
    }

    private static String places() {
        return IntStream.range(0, EmbeddedGateway.VISITS).mapToObj(each -> "?").collect(Collectors.joining(", "));
    }
}
