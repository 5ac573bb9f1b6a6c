package org.keyline.gateway.views;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.StoreException;

/**
 * A read of a view. Immutable.
 *
 * @param columns the columns of the result; empty for a count
 * @param count the label of the result's column if the read is a {@code COUNT(*)}; null if not
 * @param limit the range of the found rows to return
 */
record Scan(
        View view,
        List<ViewResult.Picked> columns,
        @Nullable String count,
        List<Condition> conditions,
        List<Order> orders,
        Limit limit) {
    private static final int MAX_RESULT_BYTES = 16 << 20;

    /** Returns a result that has the columns, but no rows. */
    ViewResult described() {
        return result(false);
    }

    private ViewResult result(boolean binary) {
        return count == null ? ViewResult.of(columns, binary) : ViewResult.ofCount(count, binary);
    }

    /**
     * Runs the read.
     *
     * @param check runs for each row; throws to stop the read
     */
    ViewResult result(View.Asker asker, boolean binary, Runnable check) {
        List<List<@Nullable Object>> found = new ArrayList<>();
        for (List<@Nullable Object> row : view.rows().apply(asker)) {
            check.run();
            if (conditions.stream().allMatch(condition -> condition.test().test(row.get(condition.column())))) {
                found.add(row);
            }
        }
        ViewResult result = result(binary);
        if (count != null) {
            limit.of(List.of((long) found.size())).forEach(rows -> result.add(List.of(rows)));
            return result;
        }
        orders.stream().map(Order::comparator).reduce(Comparator::thenComparing).ifPresent(found::sort);
        for (List<@Nullable Object> row : limit.of(found)) {
            check.run();
            List<@Nullable Object> cells = new ArrayList<>();
            columns.forEach(column -> cells.add(row.get(column.place())));
            if (result.add(cells) > MAX_RESULT_BYTES) {
                throw new StoreException(ErrPacket.of(
                        ErrorCode.ER_OUT_OF_RESOURCES,
                        "The result is longer than " + MAX_RESULT_BYTES + " bytes; read fewer rows or columns"));
            }
        }
        return result;
    }

    record Limit(long offset, long rows) {
        static final Limit NONE = new Limit(0, Long.MAX_VALUE);

        private <T> List<T> of(List<T> all) {
            int from = (int) Math.min(offset, all.size());
            return all.subList(from, (int) Math.min((long) all.size() - from, rows) + from);
        }
    }

    record Condition(int column, Predicate<@Nullable Object> test) {}

    record Order(int column, boolean descending) {
        /** Returns the order of the rows, in which NULL sorts first. */
        private Comparator<List<@Nullable Object>> comparator() {
            Comparator<List<@Nullable Object>> ascending =
                    Comparator.comparing(row -> row.get(column), Comparator.nullsFirst(CellOrder::compare));
            return descending ? ascending.reversed() : ascending;
        }
    }
}
