package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.EqualEnds;
import org.keyline.planner.FilterReads;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.KeyPart;
import org.keyline.planner.Order;
import org.keyline.planner.Plan;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.PointRead.Answer;
import org.keyline.planner.StatementKind;
import org.keyline.planner.StatementMatcher;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Shape;
import org.keyline.planner.statement.OpaqueForm;
import org.keyline.planner.statement.ReadForm;
import org.keyline.planner.statement.ReadThrough;

/** Recognises point reads among the SELECTs that earlier matchers did not plan. Immutable. */
public final class PointReadMatcher implements StatementMatcher {
    /*
     * A SELECT is a point read if it satisfies these rules, which are checked in this order. Each
     * rule has its ForwardReason.
     *
     * 1. One SELECT, possibly aggregated (COUNT, and MIN and MAX of the next key column) or within
     * EXISTS. DISTINCT only of at most one row, of rows that show the whole key, or of ordered rows
     * that show only its first columns. No GROUP BY, HAVING or WINDOW. Words and hints that change
     * no row are ignored. If a hint names an index, the rows must be ordered, or at most one.
     * 2. FROM names one base table with a unique key, possibly with an alias.
     * 3. Each projected item is a literal, a star, or a plain column whose value is in the row,
     * possibly with an alias.
     * 4. WHERE is a conjunction. Conjuncts on the key combine these terms by AND and OR: `column =
     * value`, `column IN (value, …)`, `column < value` (`<=`, `>`, `>=`), `column BETWEEN value AND
     * value`, and `1 = 1`. Either side may be first. Row values are allowed, except for BETWEEN.
     * TRUE and 1 are ignored. Values are literals or placeholders, possibly with a minus sign. Each
     * other conjunct is on one column and also allows `<>`, NOT IN, NOT BETWEEN, IS [NOT] NULL.
     * 5. The conjuncts on the key, multiplied out, give at most maxRanges alternatives. In each
     * alternative, equalities bind one or more of the first key columns, each once. Bounds are on
     * these columns or the next one. A conjunct on a key column that does not fit counts as a
     * conjunct on another column. With filter lines, conjuncts on other columns suffice, as far as
     * FilterReads allows them. Filter lines also allow conjuncts that only the store can evaluate,
     * unless the whole key is bound. A table that is cached as ranges of keys needs no condition at
     * all.
     * 6. ORDER BY names exactly the remaining key columns in the key's order, all in one direction.
     * For DISTINCT, it names the remaining projected key columns. Columns with a single value are
     * ignored. With bounds, or without WHERE, the rows must be ordered, or the reply must not
     * contain them (COUNT). With conjuncts on other columns, lines answer if they find at most one
     * row, or if every index that the store may use returns the rows in the order of the key.
     * 7. LIMIT and OFFSET are literals or placeholders. They need an order by rule 6, at most one
     * row, or a reply without the rows.
     */

    public static final int DEFAULT_MAX_RANGES = 1000;

    private final int maxRanges;
    private final Function<TableName, FilterReads> filters;
    private final Predicate<TableName> ranged;

    public PointReadMatcher() {
        this(table -> FilterReads.OFF, table -> false);
    }

    /**
     * Creates a matcher with {@link #DEFAULT_MAX_RANGES}.
     *
     * @param ranged whether ranges of the table's key need no key prefix
     */
    public PointReadMatcher(Function<TableName, FilterReads> filters, Predicate<TableName> ranged) {
        this(DEFAULT_MAX_RANGES, filters, ranged);
    }

    /**
     * Creates a matcher with these limits.
     *
     * @param filters returns which reads of a table need no key prefix; constant per table
     * @param ranged whether ranges of the table's key need no key prefix
     */
    public PointReadMatcher(int maxRanges, Function<TableName, FilterReads> filters, Predicate<TableName> ranged) {
        this.filters = filters;
        this.ranged = ranged;
        if (maxRanges < 1) {
            throw new IllegalArgumentException("maxRanges: " + maxRanges + " (expected: >= 1)");
        }
        this.maxRanges = maxRanges;
    }

    @Override
    public Plan match(Shape shape, String currentSchema, Catalog catalog) {
        try {
            return read(shape, null, currentSchema, catalog);
        } catch (Refusal refusal) {
            return new Forward(refusal.reason(), StatementKind.SELECT, Effect.NONE, false);
        }
    }

    @Override
    public @Nullable EqualEnds equalEnds(Shape shape, int slots, String currentSchema, Catalog catalog) {
        if (shape.tokens().stream().noneMatch(token -> token.is("BETWEEN"))) {
            return null;
        }
        try {
            List<KeyPart> ends = new ArrayList<>();
            PointRead read = read(shape, ends, currentSchema, catalog);
            boolean single = read.fullKey() && read.ranges().size() == 1;
            return !single || ends.isEmpty()
                    ? null
                    : new EqualEnds(new PlannedStatement(read, shape.text(), slots), ends);
        } catch (Refusal refusal) {
            return null;
        }
    }

    /** @param ends receives the ends if BETWEEN is to be read as equality; null to read ranges */
    private PointRead read(Shape shape, @Nullable List<KeyPart> ends, String currentSchema, Catalog catalog)
            throws Refusal {
        ReadThrough through = ReadThrough.of(shape.tokens());
        ReadForm form = ReadForm.of(through.tokens());
        OpaqueForm opaque = OpaqueForm.of(form.tokens());
        SqlNode node = SelectReader.read(opaque.tokens());
        if (ends != null) {
            Chain.equate(node, ends);
        }
        PointRead read = read(node, form, opaque, through.anyIndex(), currentSchema, catalog);
        check(through, read, form.distinct());
        return read;
    }

    /**
     * Rejects modifiers that can be names of the table's columns. Also rejects several unordered
     * rows if a hint names an index, because the index can determine the rows' order.
     */
    private static void check(ReadThrough through, PointRead read, boolean distinct) throws Refusal {
        for (String modifier : through.modifiers()) {
            if (read.table().ordinal(modifier) != -1) {
                throw new Refusal(ForwardReason.SELECT_MODIFIER);
            }
        }
        boolean single = read.fullKey() && read.ranges().size() == 1;
        if (through.anyIndex() && !single && (distinct || !(read.mayBeLimited() || read.needsSingleRow()))) {
            throw new Refusal(ForwardReason.INDEX_HINT);
        }
    }

    /** @param hinted whether the statement names an index */
    private PointRead read(
            SqlNode node, ReadForm form, OpaqueForm opaque, boolean hinted, String currentSchema, Catalog catalog)
            throws Refusal {
        SqlNode query = node;
        List<SqlNode> orderBy = List.of();
        KeyPart offset = null;
        KeyPart limit = null;
        if (node instanceof SqlOrderBy ordered) {
            query = ordered.query;
            orderBy = ordered.orderList.getList();
            offset = bound(ordered.offset);
            limit = bound(ordered.fetch);
        }
        if (!(query instanceof SqlSelect select)) {
            throw new Refusal(ForwardReason.SET_OPERATION);
        }
        plain(select);
        Scope scope = Scope.of(select.getFrom(), currentSchema, catalog);
        List<Integer> constants = new ArrayList<>();
        List<ProjectedItem> items = ProjectedItem.read(select.getSelectList(), scope, constants);
        boolean shown = form.answer() == Answer.ROWS;
        List<Integer> ones = new ArrayList<>(shown ? List.of() : constants);
        SqlNode where = select.getWhere();
        boolean byRange = ranged.test(scope.table().name());
        if (where == null && !byRange) {
            throw new Refusal(ForwardReason.NO_CONDITION);
        }
        WhereClause clause = where == null
                ? WhereClause.none(scope)
                : WhereClause.read(
                        where, scope, maxRanges, filters.apply(scope.table().name()), byRange, opaque);
        KeyBinding binding = clause.binding();
        ones.addAll(clause.ones());
        ones.addAll(binding.ones());
        int keyColumns = scope.table().keyColumns().size();
        boolean distinct = form.distinct() && !binding.atMostOneRow();
        int differing = distinct ? differing(items, form, scope.table(), binding, limit != null) : keyColumns;
        Order order = KeyOrder.read(orderBy, scope, binding, items, differing, ones);
        if (distinct && order == Order.NONE && binding.constants() < differing) {
            throw new Refusal(ForwardReason.DISTINCT);
        }
        if (form.answer() == Answer.EXISTS) {
            return exists(scope, clause, limit, offset, ones);
        }
        if (form.answer() == Answer.AGGREGATES) {
            if (limit != null || offset != null) {
                throw new Refusal(ForwardReason.LIMIT_WITHOUT_ORDER);
            }
            if (!orderBy.isEmpty()) {
                throw new Refusal(ForwardReason.ORDER_NOT_BY_KEY);
            }
            return aggregates(form.functions(), items, scope, clause, ones);
        }
        Answer answer = differing < keyColumns ? Answer.DISTINCT : Answer.ROWS;
        boolean anyOrder = answer == Answer.DISTINCT || binding.atMostOneRow();
        anyOrder |= items.stream().allMatch(item -> item.ordinal() == PointRead.ONE);
        // Only the execution shows whether more than one row satisfies the conditions.
        anyOrder |= !clause.conditions().isEmpty() || !clause.opaque().isEmpty();
        if (limit != null && order == Order.NONE && !anyOrder) {
            throw new Refusal(ForwardReason.LIMIT_WITHOUT_ORDER);
        }
        List<Integer> projection = new ArrayList<>();
        for (ProjectedItem item : items) {
            if (item.ordinal() != PointRead.ONE
                    && scope.table().columns().get(item.ordinal()).computed()) {
                throw new Refusal(ForwardReason.COMPUTED_COLUMN);
            }
            projection.add(item.ordinal());
        }
        PointRead read = new PointRead(
                scope.table(),
                binding.ranges(),
                clause.conditions(),
                projection,
                order,
                limit,
                offset,
                answer,
                List.of(),
                clause.opaque(),
                ones,
                constants);
        boolean inOrderOfKey = !read.hasBounds() && !read.isOfAllRows() && !IndexOrder.mayBeAnother(read);
        if (!inOrderOfKey && order == Order.NONE && !anyOrder) {
            throw new Refusal(ForwardReason.RANGE_WITHOUT_ORDER);
        }
        return read.needsSingleRow() && !hinted && IndexOrder.isOfKey(read) ? read.inKeyOrder() : read;
    }

    /**
     * Returns the number of leading key columns that distinguish the rows of a DISTINCT; all of
     * them if no two rows are equal. Refuses a read if the store can use another index, because it
     * then removes duplicates in a temporary table and describes the columns differently.
     *
     * @param limited whether the read has a LIMIT. Servers that remove duplicates then report other
     * row counts, unless all key columns are projected
     */
    private static int differing(
            List<ProjectedItem> items, ReadForm form, TableSchema table, KeyBinding binding, boolean limited)
            throws Refusal {
        if (form.answer() != Answer.ROWS) {
            throw new Refusal(ForwardReason.DISTINCT);
        }
        int keyColumns = table.keyColumns().size();
        boolean[] shown = new boolean[keyColumns];
        boolean others = false;
        for (ProjectedItem item : items) {
            int position = item.ordinal() == PointRead.ONE ? -1 : table.keyPosition(item.ordinal());
            if (position >= 0) {
                shown[position] = true;
            }
            others |= position < 0 && item.ordinal() != PointRead.ONE;
        }
        int differing = 0;
        while (differing < keyColumns && (shown[differing] || binding.isConstant(differing))) {
            differing++;
        }
        boolean allShown = true;
        for (int i = 0; i < keyColumns; i++) {
            allShown &= shown[i];
            others |= i >= differing && shown[i];
        }
        boolean byIndex = table.hasOtherIndexes() && !allShown;
        if (byIndex || (differing < keyColumns ? others : limited && !allShown)) {
            throw new Refusal(ForwardReason.DISTINCT);
        }
        return differing;
    }

    /** Returns the plan of an EXISTS. The order of the rows does not matter, but LIMIT 0 does. */
    private static PointRead exists(
            Scope scope, WhereClause clause, @Nullable KeyPart limit, @Nullable KeyPart offset, List<Integer> ones)
            throws Refusal {
        if (offset != null) {
            throw new Refusal(ForwardReason.LIMIT_WITHOUT_ORDER);
        }
        List<Integer> any = List.of(scope.table().keyColumns().get(0));
        return new PointRead(
                scope.table(),
                clause.binding().ranges(),
                clause.conditions(),
                any,
                Order.NONE,
                limit,
                null,
                Answer.EXISTS,
                List.of(),
                clause.opaque(),
                ones,
                List.of());
    }

    /**
     * Returns the plan of aggregates. MIN and MAX are of a key column, and each key column before
     * it must have a single value.
     */
    private static PointRead aggregates(
            List<PointRead.Function> functions,
            List<ProjectedItem> items,
            Scope scope,
            WhereClause clause,
            List<Integer> ones)
            throws Refusal {
        KeyBinding binding = clause.binding();
        List<Integer> projection = new ArrayList<>();
        List<PointRead.Function> made = new ArrayList<>();
        Iterator<ProjectedItem> arguments = items.iterator();
        for (PointRead.Function function : functions) {
            int ordinal = function == PointRead.Function.ROWS
                    ? PointRead.ONE
                    : arguments.next().ordinal();
            boolean isColumn = ordinal != PointRead.ONE;
            if (isColumn && scope.table().columns().get(ordinal).computed()) {
                throw new Refusal(ForwardReason.COMPUTED_COLUMN);
            }
            if (function == PointRead.Function.MIN || function == PointRead.Function.MAX) {
                int position = isColumn ? scope.table().keyPosition(ordinal) : -1;
                if (position < 0 || position > binding.constants()) {
                    throw new Refusal(ForwardReason.AGGREGATE);
                }
            }
            boolean rows = function == PointRead.Function.COUNT
                    && (!isColumn || !scope.table().columns().get(ordinal).nullable());
            made.add(rows ? PointRead.Function.ROWS : function);
            projection.add(rows ? PointRead.ONE : ordinal);
        }
        boolean count = made.equals(List.of(PointRead.Function.ROWS));
        return new PointRead(
                scope.table(),
                binding.ranges(),
                clause.conditions(),
                count ? List.of(scope.table().keyColumns().get(0)) : projection,
                Order.NONE,
                null,
                null,
                count ? Answer.COUNT : Answer.AGGREGATES,
                count ? List.of() : made,
                clause.opaque(),
                ones,
                List.of());
    }

    private static @Nullable KeyPart bound(@Nullable SqlNode node) throws Refusal {
        if (node == null) {
            return null;
        }
        if (node instanceof SqlDynamicParam parameter) {
            return KeyPart.of(parameter.getIndex());
        }
        throw new Refusal(ForwardReason.LIMIT_NOT_LITERAL);
    }

    private static void plain(SqlSelect select) throws Refusal {
        if (select.isDistinct()) {
            throw new Refusal(ForwardReason.DISTINCT);
        }
        if (select.getModifierNode(SqlSelectKeyword.ALL) != null
                || select.getModifierNode(SqlSelectKeyword.STREAM) != null) {
            throw new Refusal(ForwardReason.SELECT_MODIFIER);
        }
        if (select.getGroup() != null || select.getHaving() != null) {
            throw new Refusal(ForwardReason.GROUPING);
        }
        if (!select.getWindowList().isEmpty() || select.getQualify() != null) {
            throw new Refusal(ForwardReason.WINDOW);
        }
        if (select.hasHints()) {
            throw new Refusal(ForwardReason.OPTIMIZER_HINT);
        }
        if (select.getOrderList() != null || select.getFetch() != null || select.getOffset() != null) {
            throw new Refusal(ForwardReason.OTHER_CLAUSE);
        }
    }
}
