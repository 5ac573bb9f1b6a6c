package org.keyline.ycsb;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A search by title, publisher and year. Filters are in the order of their input. Immutable. */
record Search(List<Filter> filters) {
    /** One condition of a search. The kind is TITLE, PUBLISHER or YEAR of {@link Search}. */
    record Filter(String kind, String value) {
        boolean admits(Publication row) {
            return switch (kind) {
                case PUBLISHER -> value.equals(row.publisher());
                case TITLE -> row.title().contains(value);
                default -> row.year() <= Integer.parseInt(value);
            };
        }

        String sql(boolean fullText) {
            return switch (kind) {
                case PUBLISHER -> "publisher = '" + value + "'";
                case TITLE ->
                    fullText ? "MATCH(title) AGAINST('" + value + "' IN BOOLEAN MODE)" : "title LIKE '%" + value + "%'";
                default -> "year <= " + value;
            };
        }
    }

    /** @param bytes the size of the whole record as the published cache counts it */
    record Publication(
            int id, String title, int year, @Nullable String publisher, int bytes) {
        static Publication of(ResultSet row) throws SQLException {
            int bytes = 8; // the numbers
            for (int text : new int[] {2, 3, 5, 6, 7}) {
                String value = row.getString(text);
                bytes += value == null ? 0 : value.length();
            }
            return new Publication(row.getInt(1), row.getString(2), row.getInt(4), row.getString(5), bytes);
        }
    }

    static final String PUBLISHER = "publisher";
    static final String TITLE = "title";
    static final String YEAR = "year";

    String sql(boolean fullText) {
        List<String> conditions =
                filters.stream().map(filter -> filter.sql(fullText)).toList();
        return "SELECT id, title, authors, year, publisher, venue, source FROM publications WHERE "
                + String.join(" AND ", conditions) + " ORDER BY id";
    }

    /** Returns the filters sorted by kind and value, as in the key of the published cache. */
    List<Filter> sorted() {
        return filters.stream()
                .sorted((a, b) -> (a.kind() + a.value()).compareTo(b.kind() + b.value()))
                .toList();
    }

    static String key(List<Filter> sorted) {
        return String.join(
                ";",
                sorted.stream().map(filter -> filter.kind() + filter.value()).toList());
    }

    /**
     * Returns ten searches. The first is for a word; each other adds an upper bound of the year.
     */
    static List<Search> steps(int rank) {
        List<Filter> filters = new ArrayList<>(List.of(new Filter(TITLE, Bibliography.word(rank))));
        List<Search> steps = new ArrayList<>(List.of(new Search(List.copyOf(filters))));
        for (int year = Bibliography.LAST_YEAR; year > Bibliography.LAST_YEAR - 9; year--) {
            filters.add(new Filter(YEAR, Integer.toString(year)));
            steps.add(new Search(List.copyOf(filters)));
        }
        return steps;
    }

    /**
     * Returns a search for one of a hundred words. Zero, one and two more filters are equally
     * probable. These filters are an upper bound of the year (one of 21) and a publisher (one of
     * 1,000). The filters have a random order.
     */
    static Search mixed(Random random) {
        List<Filter> filters =
                new ArrayList<>(List.of(new Filter(TITLE, Bibliography.word(1_000 + random.nextInt(100)))));
        Filter year = new Filter(YEAR, Integer.toString(Bibliography.LAST_YEAR - random.nextInt(21)));
        Filter publisher = new Filter(PUBLISHER, Bibliography.publisher(1 + random.nextInt(Bibliography.PUBLISHERS)));
        switch (random.nextInt(3)) {
            case 1 -> filters.add(random.nextInt(filters.size() + 1), random.nextBoolean() ? year : publisher);
            case 2 -> {
                filters.add(random.nextInt(filters.size() + 1), year);
                filters.add(random.nextInt(filters.size() + 1), publisher);
            }
            default -> {}
        }
        return new Search(filters);
    }

    /** An LRU cache of results, up to {@code budget} bytes. Confined to one thread. */
    static final class Cache {
        private final LinkedHashMap<String, List<Publication>> results = new LinkedHashMap<>(16, 0.75f, true);
        private final long budget;
        private long bytes;

        Cache(long budget) {
            this.budget = budget;
        }

        @Nullable
        List<Publication> get(String key) {
            return results.get(key);
        }

        void put(String key, List<Publication> result) {
            List<Publication> replaced = results.put(key, result);
            bytes += size(result) - (replaced == null ? 0 : size(replaced));
            for (var oldest = results.values().iterator(); bytes > budget && oldest.hasNext(); ) {
                bytes -= size(oldest.next());
                oldest.remove();
            }
        }

        private static long size(List<Publication> result) {
            return result.stream().mapToLong(Publication::bytes).sum();
        }
    }
}
