package org.keyline.gateway.read;

import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.LoadAdmission;
import org.keyline.gateway.table.MissReason;
import org.keyline.gateway.table.StatementFigures;
import org.keyline.planner.KeyBound;
import org.keyline.planner.Order;
import org.keyline.planner.PointRead;
import org.keyline.planner.PointRead.Answer;
import org.keyline.planner.PointRead.Function;

/** Reads that differ only in their values, with their plan and templates. Thread-safe. */
final class ReadShape {
    /**
     * Maximum number of templates, one per scope (such as a user). Beyond it, all templates of the
     * shape are dropped.
     */
    private static final int MAX_TEMPLATES = 256;

    /** A shape with this many templates learns no template for new literals in the select list. */
    private static final int MAX_WITH_CONSTANTS = 64;

    /** After n successive loads without an answer, one miss in 2^n may load. n is at most this. */
    private static final int MOST_DOUBLINGS = 10;

    private final PointRead plan;
    private final CachedTable table;
    private final Projection projection;
    private final ConcurrentMap<ReadScope, Template> templates;
    private final Supplier<StatementFigures> counted;
    private final @Nullable FilterLines filters;
    private volatile StatementFigures figures;
    /** Number of consecutive loads that did not answer their own reads. */
    private final AtomicInteger unanswering = new AtomicInteger();

    private final AtomicInteger misses = new AtomicInteger();

    // Properties of the plan, computed once instead of for each read.
    private final int boundColumns;
    private final boolean fullKey;
    private final boolean bounds;
    private final boolean walks;
    /** Whether the plan determines which rows come first, so the gateway can apply a LIMIT. */
    private final boolean limited;

    private final boolean mayTie;
    private final boolean compares;
    private final boolean sorts;
    /** Whether the store's reply has exactly the rows of one line. */
    private volatile boolean repliesAreLines;

    /**
     * @param filters the filter lines of the table, for a read by conditions alone; null for other
     * reads, or if the table has none
     * @param templates shared by all shapes that differ only in the number of their keys
     * @param counted returns the figures of the statement
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
        // In a table of ranges, the rows under a tuple or within bounds may be in several lines.
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

    /** Returns whether the types of the reply's columns can differ from the table's. */
    boolean comparesColumns() {
        return plan.answer() == Answer.AGGREGATES || plan.answer() == Answer.DISTINCT;
    }

    /** Returns whether MIN, MAX or DISTINCT may choose among equal values that differ in bytes. */
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

    /**
     * Returns the filter lines; null unless the read is by conditions alone and the table has
     * filter lines.
     */
    @Nullable
    FilterLines filters() {
        return filters;
    }

    /** Returns the rule that decides whether a miss loads. */
    LoadAdmission admission() {
        return filters == null ? table.admission() : filters.admission();
    }

    /** Returns whether lines may answer only if the reply has at most one row. */
    boolean needsSingleRow() {
        return plan.needsSingleRow() && (filters == null || !filters.inAnyOrder());
    }

    /** Returns whether the read is by conditions alone and needs no key order. */
    private static boolean isCounted(PointRead plan) {
        return plan.isFilter()
                && plan.order() == Order.NONE
                && !plan.functions().contains(Function.MIN)
                && !plan.functions().contains(Function.MAX);
    }

    int boundColumns() {
        return boundColumns;
    }

    /** Returns whether each range has at most one row. */
    boolean fullKey() {
        return fullKey;
    }

    /** Returns whether the read's keys are ranges, instead of tuples of one length. */
    boolean hasBounds() {
        return bounds;
    }

    /** Returns whether the rows may be in several adjacent lines of key ranges. */
    boolean walks() {
        return walks;
    }

    /** Returns the number of matching rows after which further rows do not change the reply. */
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

    /** Returns whether the read needs all rows, so that a miss would load the whole table. */
    boolean wantsWholeTable(long offset, long limit) {
        return plan.isOfAllRows() && wanted(offset, limit) == Long.MAX_VALUE;
    }

    /** Returns whether the read requests all rows under a single key, without conditions. */
    boolean isSingle() {
        return !bounds
                && plan.ranges().size() == 1
                && plan.conditions().isEmpty()
                && plan.opaque().isEmpty();
    }

    /** Returns whether the store's reply is exactly all rows of one line. */
    boolean repliesAreLines() {
        return repliesAreLines;
    }

    /** Returns whether a miss should load. After loads that answered no read, few misses do. */
    boolean loadsAnswer() {
        int doublings = Math.min(unanswering.get(), MOST_DOUBLINGS);
        return doublings == 0 || (misses.incrementAndGet() & ((1 << doublings) - 1)) == 0;
    }

    void loaded(boolean answered) {
        if (!answered) {
            unanswering.incrementAndGet();
        } else if (unanswering.get() > 0) {
            unanswering.set(0);
        }
    }

    /**
     * Called if the store's reply to a client could not become a line. Later misses load
     * separately.
     */
    void repliesDiffer() {
        repliesAreLines = false;
    }

    Projection projection() {
        return projection;
    }

    /** Returns the scope's template, valid or expired; null if no template is known. */
    @Nullable
    Template template(ReadScope scope) {
        return templates.get(scope);
    }

    /**
     * Returns why lines cannot answer this shape, whatever its values; null if they can.
     *
     * @param template the template of the scope; if null, the result is never null
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
        if (scope.asStored() && !table.determinesStoredText()) {
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

    /** Returns whether the read binds fewer key columns than the prefix of a line has. */
    boolean lacksLines() {
        return boundColumns < table.prefixCells() && filters == null;
    }

    /**
     * Returns whether coarser lines may be chosen for the read: it binds a key column, has a LIMIT,
     * or bounds its keys from both sides.
     */
    boolean mayTakeRanges() {
        return boundColumns > 0
                || (limited && plan.limit() != null)
                || plan.ranges().stream()
                        .allMatch(range -> range.bounds().stream().anyMatch(KeyBound::lower)
                                && !range.bounds().stream().allMatch(KeyBound::lower));
    }

    /** Returns a shape with the same plan and templates for the successor of this shape's table. */
    ReadShape over(CachedTable next, @Nullable FilterLines itsFilters) {
        return new ReadShape(plan, next, itsFilters, templates, counted);
    }

    /** Returns whether a reply in this scope may become a template. */
    boolean learns(ReadScope scope) {
        return scope.constants().isEmpty() || templates.size() < MAX_WITH_CONSTANTS || templates.containsKey(scope);
    }

    void learned(ReadScope scope, Template template) {
        if (templates.size() >= MAX_TEMPLATES && !templates.containsKey(scope)) {
            templates.clear();
        }
        templates.put(scope, template);
    }

    /**
     * Removes the template of a user whose statement the store refused, so that the user gets no
     * hits.
     */
    void forget(ReadScope scope) {
        templates.remove(scope);
    }
}
