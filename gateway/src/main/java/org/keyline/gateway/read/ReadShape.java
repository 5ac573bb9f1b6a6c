package org.keyline.gateway.read;

import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.metrics.StatementFigures;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.LoadAdmission;
import org.keyline.gateway.table.MissReason;
import org.keyline.planner.KeyBound;
import org.keyline.planner.Order;
import org.keyline.planner.PointRead;
import org.keyline.planner.PointRead.Answer;
import org.keyline.planner.PointRead.Function;

/** A point read made ready to be answered: its plan, its table's lines, and the templates learned of it. Thread-safe. */
final class ReadShape {
    /** Beyond this many scopes of one shape, such as users, the templates are learned anew. */
    private static final int MAX_TEMPLATES = 256;

    /** Beyond this many templates, none is learned for other literals among the columns: there may be no end of them. */
    private static final int MAX_WITH_CONSTANTS = 64;

    /** After so many loads in succession that did not answer their reads, one miss in two to the power of this loads. */
    private static final int MOST_DOUBLINGS = 10;

    private final PointRead plan;
    private final CachedTable table;
    private final Projection projection;
    private final ConcurrentMap<ReadScope, Template> templates;
    private final Supplier<StatementFigures> counted;
    private final @Nullable FilterLines filters;
    private volatile StatementFigures figures;
    /** Loads in succession that did not answer the reads that they were made for. */
    private final AtomicInteger unanswering = new AtomicInteger();

    private final AtomicInteger misses = new AtomicInteger();

    // What the plan would have to count each time.
    private final int boundColumns;
    private final boolean fullKey;
    private final boolean bounds;
    private final boolean walks;
    /** Whether its rows come in an order in which the first ones are certain. */
    private final boolean limited;

    private final boolean mayTie;
    private final boolean compares;
    private final boolean sorts;
    /** Whether the store's reply has all of a line and nothing else, as far as the plan tells. */
    private volatile boolean repliesAreLines;

    /**
     * @param filters the lines of its table that answer conditions alone; null if there are none
     * @param templates of all shapes that differ only in how many keys they name
     * @param counted where the statement is counted, now
     */
    ReadShape(
            PointRead plan,
            CachedTable table,
            @Nullable FilterLines filters,
            ConcurrentMap<ReadScope, Template> templates,
            Supplier<StatementFigures> counted) {
        this.filters = plan.isFilter() ? filters : null;
        this.templates = templates;
        this.counted = counted;
        this.figures = counted.get();
        this.plan = plan;
        this.table = table;
        this.boundColumns = plan.boundColumns();
        this.fullKey = plan.fullKey();
        // Of a table that is kept as ranges, what is under a tuple may be in several lines, as what is within bounds.
        this.walks = table.lines().isRanged() && !plan.isFilter() && (plan.hasBounds() || !fullKey);
        this.limited = plan.answer() == Answer.ROWS && plan.mayBeLimited();
        this.bounds = plan.hasBounds() || walks;
        this.mayTie = mayTie(plan, table);
        this.compares = table.compares(plan);
        this.sorts = isCounted(plan) || table.sortsLikeTheStore(plan);
        this.projection =
                new Projection(plan.projection(), table.schema().columns().size());
        boolean isLine = this.filters != null
                ? plan.limit() == null
                : isSingle() && boundColumns == table.prefixCells() && (fullKey || plan.limit() == null);
        this.repliesAreLines =
                isLine && plan.answer() == Answer.ROWS && projection.copiesRows() && plan.offset() == null;
    }

    /** What became of the statement. */
    StatementFigures figures() {
        StatementFigures now = figures;
        if (now.isFolded()) {
            now = counted.get();
            figures = now;
        }
        return now;
    }

    PointRead plan() {
        return plan;
    }

    CachedTable table() {
        return table;
    }

    /** Whether the store may answer columns in another type than the table has them. */
    boolean comparesColumns() {
        return plan.answer() == Answer.AGGREGATES || plan.answer() == Answer.DISTINCT;
    }

    /** Whether the lowest, the highest or the only value may be written in several ways, of which the store answers one. */
    private static boolean mayTie(PointRead plan, CachedTable table) {
        for (int ordinal : plan.answer() == Answer.DISTINCT ? plan.projection() : List.<Integer>of()) {
            if (ordinal != PointRead.ONE && !table.isWrittenOneWay(plan.table().keyPosition(ordinal))) {
                return true;
            }
        }
        for (int i = 0; i < plan.functions().size(); i++) {
            Function function = plan.functions().get(i);
            if (function == Function.MIN || function == Function.MAX) {
                int position = plan.table().keyPosition(plan.projection().get(i));
                if (!table.isWrittenOneWay(position)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What answers a read by conditions alone; null if it is another one, or there are no such lines. */
    @Nullable
    FilterLines filters() {
        return filters;
    }

    /** What decides whether a miss of such a read loads. */
    LoadAdmission admission() {
        return filters == null ? table.admission() : filters.admission();
    }

    /** Whether rows are the answer only if there is one at most. */
    boolean needsSingleRow() {
        return plan.needsSingleRow() && (filters == null || !filters.inAnyOrder());
    }

    /** Whether it has no order among rows that are found by conditions alone, or counts them. */
    private static boolean isCounted(PointRead plan) {
        return plan.isFilter()
                && plan.order() == Order.NONE
                && !plan.functions().contains(Function.MIN)
                && !plan.functions().contains(Function.MAX);
    }

    /** Key columns that all of its ranges bind to values. */
    int boundColumns() {
        return boundColumns;
    }

    /** Whether each of its ranges has one row or none. */
    boolean fullKey() {
        return fullKey;
    }

    /** Whether it asks for stretches of keys, and not for all rows under each of several keys of the same length. */
    boolean hasBounds() {
        return bounds;
    }

    /** Whether the rows that it asks for may be in several lines next to each other. */
    boolean walks() {
        return walks;
    }

    /** How many of the first rows that there are, or that meet its conditions, are enough to answer it. */
    long wanted(long offset, long limit) {
        if (plan.answer() == Answer.EXISTS) {
            return 1;
        }
        if (!limited) {
            return Long.MAX_VALUE;
        }
        long rows = offset + limit;
        return rows < 0 ? Long.MAX_VALUE : Math.max(1, rows);
    }

    /** Whether it is answered only if all rows of the table are in lines: to load them for it would be to read the whole table. */
    boolean wantsWholeTable(long offset, long limit) {
        return plan.isOfAllRows() && wanted(offset, limit) == Long.MAX_VALUE;
    }

    /** Whether it asks for all rows under a single key, whatever is in them. */
    boolean isSingle() {
        return !bounds
                && plan.ranges().size() == 1
                && plan.conditions().isEmpty()
                && plan.opaque().isEmpty();
    }

    /** Whether the store's reply has every column of every row of one line, and no other row. */
    boolean repliesAreLines() {
        return repliesAreLines;
    }

    /**
     * Returns whether a load is likely to answer the read that it is made for: each load that did not doubles the number of misses up to
     * the next one.
     */
    boolean loadsAnswer() {
        int doublings = Math.min(unanswering.get(), MOST_DOUBLINGS);
        return doublings == 0 || (misses.incrementAndGet() & ((1 << doublings) - 1)) == 0;
    }

    /** A load did or did not answer the read that it was made for. */
    void loaded(boolean answered) {
        if (!answered) {
            unanswering.incrementAndGet();
        } else if (unanswering.get() > 0) {
            unanswering.set(0);
        }
    }

    /** A reply was not what a line can be made of: from now on lines are loaded for reads of this shape. */
    void repliesDiffer() {
        repliesAreLines = false;
    }

    Projection projection() {
        return projection;
    }

    /** What the store taught about this scope, whether it is still valid or not. */
    @Nullable
    Template template(ReadScope scope) {
        return templates.get(scope);
    }

    /**
     * Why a read of this shape can't be answered from lines, whatever its values are; null if it can.
     *
     * @param template what was learned of the scope; not null where the answer is null
     */
    @Nullable
    MissReason obstacle(@Nullable Template template, ReadScope scope, long now) {
        if (!sorts) {
            return MissReason.ORDER;
        }
        if (!compares) {
            return MissReason.CONDITION;
        }
        if (scope.mode().noBackslashEscapes() && !plan.opaque().isEmpty()) {
            return MissReason.SQL_MODE;
        }
        if (mayTie) {
            return MissReason.TIES;
        }
        if (scope.asStored() && !table.tellsStoredText()) {
            return MissReason.CHARACTER_SET;
        }
        if (scope.selectLimit() != Long.MAX_VALUE && !plan.mayBeLimited()) {
            return MissReason.ROW_LIMIT;
        }
        if (template == null) {
            return MissReason.NO_TEMPLATE;
        }
        if (!template.validAt(now)) {
            return MissReason.TEMPLATE_EXPIRED;
        }
        return lacksLines() ? MissReason.GRANULARITY : null;
    }

    /** Returns whether the lines of its table are finer than what it asks for. */
    boolean lacksLines() {
        return boundColumns < table.prefixCells() && filters == null;
    }

    /** Returns whether lines that are ranges of keys would serve it with few rows: it takes the first ones, or has both bounds. */
    boolean mayTakeRanges() {
        return boundColumns > 0
                || (limited && plan.limit() != null)
                || plan.ranges().stream()
                        .allMatch(range -> range.bounds().stream().anyMatch(KeyBound::lower)
                                && !range.bounds().stream().allMatch(KeyBound::lower));
    }

    /** The same shape over the table that has taken the place of its own, with all that the store has taught. */
    ReadShape over(CachedTable next, @Nullable FilterLines itsFilters) {
        return new ReadShape(plan, next, itsFilters, templates, counted);
    }

    /** Whether a reply in this scope may be learned of. */
    boolean learns(ReadScope scope) {
        return scope.constants().isEmpty() || templates.size() < MAX_WITH_CONSTANTS || templates.containsKey(scope);
    }

    void learned(ReadScope scope, Template template) {
        if (templates.size() >= MAX_TEMPLATES && !templates.containsKey(scope)) {
            templates.clear();
        }
        templates.put(scope, template);
    }

    /** The store refused the statement: there is no authority for hits. */
    void forget(ReadScope scope) {
        templates.remove(scope);
    }
}
