package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.KeyPart;
import org.keyline.planner.Order;
import org.keyline.planner.Plan;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.planner.StatementMatcher;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Shape;

/**
 * Recognises the point-read family among plain SELECTs; expects that whatever has another effect was turned away before. Immutable.
 */
public final class PointReadMatcher implements StatementMatcher {
    /*
     * The family, in the order in which it is checked. Each rule has its ForwardReason; what no rule allows is refused.
     *
     *  1. One SELECT, with none of DISTINCT, GROUP BY, HAVING, WINDOW, hints.
     *  2. FROM names one base table with a unique key, perhaps with an alias.
     *  3. Each projected item is a plain column of it, perhaps with an alias, or a star.
     *  4. WHERE is a conjunction of `column = value`, `value = column`, `column IN (value, …)` and row values thereof; values are
     *     literals or placeholders, perhaps with a minus sign.
     *  5. The columns so bound are the first m of the key, each bound once; together they name at most maxTuples tuples.
     *  6. ORDER BY, without the columns that are bound to one value, is exactly the rest of the key in order, in one direction.
     *  7. LIMIT and OFFSET are literals or placeholders, and come only with such an order, or where at most one row can come.
     */

    /** Most tuples of one statement by default. */
    public static final int DEFAULT_MAX_TUPLES = 1000;

    private final int maxTuples;

    /** A matcher of statements with up to {@link #DEFAULT_MAX_TUPLES} tuples. */
    public PointReadMatcher() {
        this(DEFAULT_MAX_TUPLES);
    }

    /** A matcher of statements with up to {@code maxTuples} tuples. */
    public PointReadMatcher(int maxTuples) {
        if (maxTuples < 1) {
            throw new IllegalArgumentException("maxTuples: " + maxTuples + " (expected: >= 1)");
        }
        this.maxTuples = maxTuples;
    }

    @Override
    public Plan match(Shape shape, String currentSchema, Catalog catalog) {
        try {
            return read(SelectReader.read(shape.tokens()), currentSchema, catalog);
        } catch (Refusal refusal) {
            return new Forward(refusal.reason(), StatementKind.SELECT, Effect.NONE, false);
        }
    }

    private PointRead read(SqlNode node, String currentSchema, Catalog catalog) throws Refusal {
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
        Scope scope = scope(select.getFrom(), currentSchema, catalog);
        List<SelectItem> items = items(select.getSelectList(), scope);
        SqlNode where = select.getWhere();
        if (where == null) {
            throw new Refusal(ForwardReason.NO_CONDITION);
        }
        KeyBinding binding = KeyBinding.read(where, scope, maxTuples);
        Order order = KeyOrder.read(orderBy, scope, binding, items);
        if (limit != null && order == Order.NONE && !binding.atMostOneRow()) {
            throw new Refusal(ForwardReason.LIMIT_WITHOUT_ORDER);
        }
        List<Integer> projection = new ArrayList<>();
        for (SelectItem item : items) {
            projection.add(item.ordinal());
        }
        return new PointRead(scope.table(), binding.tuples(), projection, order, limit, offset);
    }

    /** A projected column; the alias is null if it has none. */
    record SelectItem(int ordinal, @Nullable String alias) {}

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

    private static Scope scope(@Nullable SqlNode from, String currentSchema, Catalog catalog) throws Refusal {
        if (from == null) {
            throw new Refusal(ForwardReason.NO_TABLE);
        }
        SqlNode source = from;
        String alias = null;
        if (from.getKind() == SqlKind.AS) {
            SqlCall as = (SqlCall) from;
            if (as.operandCount() != 2 || !(as.operand(1) instanceof SqlIdentifier name) || !name.isSimple()) {
                throw new Refusal(ForwardReason.OTHER_CLAUSE);
            }
            source = as.operand(0);
            alias = name.getSimple();
        }
        if (!(source instanceof SqlIdentifier name) || name.isStar()) {
            throw new Refusal(
                    switch (source.getKind()) {
                        case JOIN -> ForwardReason.JOIN;
                        case SELECT, ORDER_BY, VALUES, UNION -> ForwardReason.SUBQUERY;
                        default -> ForwardReason.OTHER_CLAUSE;
                    });
        }
        return new Scope(table(name.names, currentSchema, catalog), alias);
    }

    private static TableSchema table(List<String> names, String currentSchema, Catalog catalog) throws Refusal {
        if (names.size() > 2) {
            throw new Refusal(ForwardReason.TABLE_UNKNOWN);
        }
        String schema = names.size() == 2 ? names.get(0) : currentSchema;
        if (schema.isEmpty()) {
            throw new Refusal(ForwardReason.NO_DATABASE);
        }
        TableSchema table = catalog.table(schema, names.get(names.size() - 1));
        if (table == null) {
            throw new Refusal(ForwardReason.TABLE_UNKNOWN);
        }
        if (table.model() != TableModel.UNIQUE) {
            throw new Refusal(ForwardReason.NO_UNIQUE_KEY);
        }
        return table;
    }

    private static List<SelectItem> items(SqlNodeList list, Scope scope) throws Refusal {
        List<SelectItem> items = new ArrayList<>();
        for (SqlNode item : list) {
            if (item instanceof SqlIdentifier name && name.isStar()) {
                scope.checkStar(name);
                for (int ordinal = 0; ordinal < scope.table().columns().size(); ordinal++) {
                    items.add(new SelectItem(ordinal, null));
                }
            } else if (item instanceof SqlIdentifier name) {
                items.add(new SelectItem(scope.ordinal(name), null));
            } else {
                items.add(aliased(item, scope));
            }
        }
        return items;
    }

    private static SelectItem aliased(SqlNode item, Scope scope) throws Refusal {
        if (item instanceof SqlBasicCall as
                && as.getKind() == SqlKind.AS
                && as.operandCount() == 2
                && as.operand(0) instanceof SqlIdentifier column
                && as.operand(1) instanceof SqlIdentifier alias
                && !column.isStar()) {
            return new SelectItem(scope.ordinal(column), alias.getSimple());
        }
        throw new Refusal(ForwardReason.EXPRESSION);
    }
}
