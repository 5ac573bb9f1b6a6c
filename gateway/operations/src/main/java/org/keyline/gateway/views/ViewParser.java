package org.keyline.gateway.views;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.KeyPart;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.SlotKind;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.planner.statement.Cursor;
import org.keyline.planner.statement.KeylineViews;
import org.keyline.planner.statement.LikePattern;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.StoreException;

/** Parses a statement on views; errors name the first bad token. Confined to one thread. */
final class ViewParser {
    /*
     * Statements on views allow no subquery, join, function or recursion. So the number of rows of
     * one view bounds the work of a read.
     */

    private static final int MAX_COLUMNS = 256;
    private static final int MAX_CONDITIONS = 64;
    private static final int NEAR_TOKENS = 6;

    private static final String SUPPORTED = ". They support SELECT columns (or COUNT(*)) FROM keyline.view"
            + " [WHERE condition AND …] [ORDER BY column [DESC], …] [LIMIT n [OFFSET m]], SHOW TABLES FROM keyline,"
            + " SHOW COLUMNS FROM keyline.view and DESCRIBE keyline.view; for other queries, export the rows";

    private static final Map<String, IntPredicate> OPERATORS = Map.of(
            "=", order -> order == 0,
            "<>", order -> order != 0,
            "!=", order -> order != 0,
            "<", order -> order < 0,
            "<=", order -> order <= 0,
            ">", order -> order > 0,
            ">=", order -> order >= 0);

    private final Map<String, View> views;
    private final ViewRead read;
    private final Cursor at;
    private View view = View.of("", "name TEXT", asker -> List.of());
    /** The alias of the view, or its name. */
    private String table = "";

    /**
     * An item of SELECT.
     *
     * @param path the qualified name of a column; for a star, the view's name, or empty
     * @param label null for a star
     */
    private record Item(List<String> path, @Nullable String label) {}

    ViewParser(Map<String, View> views, ViewRead read) {
        this.views = views;
        this.read = read;
        this.at = Cursor.of(read.tokens());
    }

    /** Parses the statement. Throws {@link StoreException} with the error for the client. */
    Scan scan() {
        if (at.accept("SELECT")) {
            return select();
        }
        if (at.accept("DESCRIBE", "DESC", "EXPLAIN")) {
            return definition(false);
        }
        require(at.accept("SHOW"));
        boolean extended = at.accept("EXTENDED");
        boolean full = at.accept("FULL");
        if (!extended && at.accept("TABLES")) {
            require(at.accept("FROM", "IN"));
            return tables(full);
        }
        require(at.accept("COLUMNS", "FIELDS"));
        require(at.accept("FROM", "IN"));
        return definition(full);
    }

    // ---------------------------------------------------------------- SELECT

    private Scan select() {
        String count =
                at.at("COUNT") && at.token(1).isSymbol("(") && at.token(2).isSymbol("*") ? count() : null;
        List<Item> items = count == null ? items() : List.of();
        require(at.accept("FROM"));
        List<String> path = names();
        require(path.size() == 2 && path.get(0).equalsIgnoreCase(KeylineViews.SCHEMA));
        open(path.get(1));
        table = alias(view.name());
        List<ViewResult.Picked> picked = picked(items);
        List<Scan.Condition> conditions = at.accept("WHERE") ? conditions() : List.of();
        List<Scan.Order> orders = new ArrayList<>();
        if (at.acceptAll("ORDER", "BY")) {
            do {
                int column = ordered(names(), picked);
                require(orders.size() < MAX_COLUMNS);
                orders.add(new Scan.Order(column, at.accept("DESC")));
                at.skip("ASC");
            } while (at.acceptSymbol(","));
        }
        Scan.Limit limit = at.accept("LIMIT") ? limit() : Scan.Limit.NONE;
        require(at.atEnd());
        return new Scan(view, picked, count, conditions, orders, limit);
    }

    private String count() {
        String label = at.token().text() + "(*)";
        at.advance();
        require(at.acceptSymbol("(") && at.acceptSymbol("*") && at.acceptSymbol(")"));
        return alias(label);
    }

    private List<Item> items() {
        List<Item> items = new ArrayList<>();
        do {
            requireFew(items.size() + 1);
            if (at.acceptSymbol("*")) {
                items.add(new Item(List.of(), null));
                continue;
            }
            List<String> path = names();
            if (at.acceptSymbol(".")) {
                require(at.acceptSymbol("*"));
                items.add(new Item(path, null));
            } else {
                items.add(new Item(path, alias(path.get(path.size() - 1))));
            }
        } while (at.acceptSymbol(","));
        return items;
    }

    private List<ViewResult.Picked> picked(List<Item> items) {
        List<ViewResult.Picked> picked = new ArrayList<>();
        for (Item item : items) {
            if (item.label() != null) {
                picked.add(new ViewResult.Picked(view, table, column(item.path()), item.label()));
                continue;
            }
            require(isView(item.path()));
            for (int i = 0; i < view.columns().size(); i++) {
                picked.add(new ViewResult.Picked(
                        view, table, i, view.columns().get(i).name()));
            }
            requireFew(picked.size());
        }
        return picked;
    }

    private static void requireFew(int columns) {
        if (columns > MAX_COLUMNS) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_NOT_SUPPORTED_YET,
                    "A read of Keyline's views returns at most " + MAX_COLUMNS + " columns"));
        }
    }

    private String alias(String usual) {
        boolean named = at.accept("AS") || (at.token().type().isName() && !isReserved(at.token()));
        if (!named) {
            return usual;
        }
        List<String> alias = names();
        require(alias.size() == 1);
        return alias.get(0);
    }

    private int ordered(List<String> path, List<ViewResult.Picked> picked) {
        for (ViewResult.Picked column : picked) {
            if (path.size() == 1 && column.label().equalsIgnoreCase(path.get(0))) {
                return column.place();
            }
        }
        return column(path);
    }

    private Scan.Limit limit() {
        long first = number();
        if (at.acceptSymbol(",")) {
            return new Scan.Limit(first, number());
        }
        return new Scan.Limit(at.accept("OFFSET") ? number() : 0, first);
    }

    private long number() {
        ViewRead.Value value = value();
        if (value.kind() == SlotKind.PLACEHOLDER) {
            return 0;
        }
        String text = value.text();
        if (value.kind() != SlotKind.INTEGER || text == null || text.startsWith("-")) {
            throw refused();
        }
        return new BigInteger(text).min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
    }

    // ---------------------------------------------------------------- WHERE

    /** Parses conditions joined by AND. Only counts parentheses, which change nothing. */
    private List<Scan.Condition> conditions() {
        List<Scan.Condition> conditions = new ArrayList<>();
        int open = 0;
        do {
            require(conditions.size() < MAX_CONDITIONS);
            while (at.acceptSymbol("(")) {
                open++;
            }
            conditions.add(condition());
            while (open > 0 && at.acceptSymbol(")")) {
                open--;
            }
        } while (at.accept("AND"));
        require(open == 0);
        return conditions;
    }

    private Scan.Condition condition() {
        int place = column(names());
        if (at.accept("IS")) {
            boolean not = at.accept("NOT");
            require(at.accept("NULL"));
            return new Scan.Condition(place, cell -> (cell == null) != not);
        }
        Predicate<Object> test = test(view.columns().get(place), at.accept("NOT"));
        return new Scan.Condition(place, cell -> cell != null && test.test(cell));
    }

    /** Parses a test of non-NULL cells. A comparison with NULL is neither true nor false. */
    private Predicate<Object> test(View.Column column, boolean not) {
        if (at.accept("IN")) {
            return in(column, not);
        }
        if (at.accept("BETWEEN")) {
            Object low = operand(column);
            require(at.accept("AND"));
            Object high = operand(column);
            Predicate<Object> outside = cell -> (low != null && CellOrder.compare(cell, low) < 0)
                    || (high != null && CellOrder.compare(cell, high) > 0);
            boolean known = low != null && high != null;
            return not ? outside : cell -> known && !outside.test(cell);
        }
        if (column.type() == View.Type.TEXT && at.accept("LIKE")) {
            Object text = operand(column);
            LikePattern pattern = LikePattern.of(text == null ? "" : text.toString());
            return cell -> text != null && pattern.matches(cell.toString()) != not;
        }
        IntPredicate operator = OPERATORS.get(at.token().text());
        if (not || operator == null) {
            throw refused();
        }
        at.advance();
        Object operand = operand(column);
        return cell -> operand != null && operator.test(CellOrder.compare(cell, operand));
    }

    private Predicate<Object> in(View.Column column, boolean not) {
        List<Object> operands = new ArrayList<>();
        boolean known = true;
        require(at.acceptSymbol("("));
        do {
            Object operand = operand(column);
            known &= operand != null;
            if (operand != null) {
                operands.add(operand);
            }
        } while (at.acceptSymbol(","));
        require(at.acceptSymbol(")"));
        Predicate<Object> in = cell -> operands.stream().anyMatch(operand -> CellOrder.compare(cell, operand) == 0);
        boolean decided = known;
        return not ? cell -> decided && !in.test(cell) : in;
    }

    /** Returns the operand of a comparison; null for NULL and for a placeholder. */
    private @Nullable Object operand(View.Column column) {
        ViewRead.Value value = value();
        return value.text() == null ? null : CellOrder.operand(column, value.kind(), value.text());
    }

    private ViewRead.Value value() {
        KeyPart part = at.value();
        if (part == null) {
            throw refused();
        }
        ViewRead.Value value = read.values().get(part.slot());
        if (!part.negated() || value.text() == null) {
            return value;
        }
        require(value.kind() == SlotKind.INTEGER || value.kind() == SlotKind.DECIMAL || value.kind() == SlotKind.FLOAT);
        return new ViewRead.Value(value.kind(), "-" + value.text());
    }

    // ---------------------------------------------------------------- definitions

    private Scan tables(boolean full) {
        require(isSchema(names()));
        LikePattern pattern = pattern();
        View names = View.of(
                "TABLES",
                "Tables_in_keyline TEXT, Table_type TEXT",
                asker -> views.keySet().stream()
                        .filter(pattern::matches)
                        .sorted()
                        .map(name -> Rows.row(name, "VIEW"))
                        .toList());
        return full ? all(names, 0, 1) : all(names, 0);
    }

    private Scan definition(boolean full) {
        List<String> path = names();
        boolean behind = path.size() == 1 && at.accept("FROM", "IN");
        require(isSchema(behind ? names() : path.subList(0, path.size() - 1)));
        open(path.get(path.size() - 1));
        LikePattern pattern = pattern();
        List<View.Column> columns = view.columns().stream()
                .filter(column -> pattern.matches(column.name()))
                .toList();
        View definitions = View.of(
                "COLUMNS",
                """
                Field TEXT, Type TEXT, Collation TEXT, Null TEXT, Key TEXT, Default TEXT, Extra TEXT,
                Privileges TEXT, Comment TEXT""",
                asker -> columns.stream().map(ViewParser::definition).toList());
        return full ? all(definitions, 0, 1, 2, 3, 4, 5, 6, 7, 8) : all(definitions, 0, 1, 3, 4, 5, 6);
    }

    private static List<@Nullable Object> definition(View.Column column) {
        String collation = column.type() == View.Type.TEXT ? "utf8mb4_general_ci" : null;
        return Rows.row(column.name(), column.type().declared, collation, "YES", "", null, "", "select", "");
    }

    private LikePattern pattern() {
        String pattern = at.accept("LIKE") ? value().text() : null;
        require(at.atEnd());
        return LikePattern.of(pattern == null ? "%" : pattern);
    }

    private static Scan all(View definitions, int... columns) {
        List<ViewResult.Picked> picked = new ArrayList<>();
        for (int i : columns) {
            String label = definitions.columns().get(i).name();
            picked.add(new ViewResult.Picked(definitions, definitions.name(), i, label));
        }
        return new Scan(definitions, picked, null, List.of(), List.of(), Scan.Limit.NONE);
    }

    // ---------------------------------------------------------------- names

    private void open(String name) {
        View named = views.get(name.toLowerCase(Locale.ROOT));
        if (named == null) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_NO_SUCH_TABLE, "Table '" + KeylineViews.SCHEMA + "." + name + "' doesn't exist"));
        }
        view = named;
    }

    private static boolean isSchema(List<String> path) {
        return path.size() == 1 && path.get(0).equalsIgnoreCase(KeylineViews.SCHEMA);
    }

    private boolean isView(List<String> path) {
        if (path.size() == 2) {
            return isSchema(path.subList(0, 1)) && path.get(1).equalsIgnoreCase(view.name());
        }
        return path.isEmpty() || (path.size() == 1 && path.get(0).equalsIgnoreCase(table));
    }

    private int column(List<String> path) {
        int column = isView(path.subList(0, path.size() - 1)) ? view.indexOf(path.get(path.size() - 1)) : -1;
        if (column < 0) {
            throw new StoreException(ErrPacket.of(
                    ErrorCode.ER_BAD_FIELD_ERROR,
                    "Unknown column '" + String.join(".", path) + "' in '" + KeylineViews.SCHEMA + "." + view.name()
                            + "'"));
        }
        return column;
    }

    private List<String> names() {
        Token first = at.token();
        require(!isReserved(first) && !at.token(1).isSymbol("("));
        List<String> names = at.name();
        if (names == null) {
            throw refused();
        }
        return names;
    }

    private static boolean isReserved(Token token) {
        return token.type() == TokenType.WORD && ReservedWords.contains(token.text());
    }

    private void require(boolean met) {
        if (!met) {
            throw refused();
        }
    }

    private StoreException refused() {
        StringBuilder near = new StringBuilder();
        for (int i = 0; i < NEAR_TOKENS && at.token(i).type() != TokenType.END; i++) {
            boolean close = i == 0
                    || at.token(i).type() == TokenType.DOT
                    || at.token(i - 1).type() == TokenType.DOT;
            near.append(close ? "" : " ").append(at.token(i).text());
        }
        return new StoreException(ErrPacket.of(
                ErrorCode.ER_NOT_SUPPORTED_YET,
                "Keyline's views do not support "
                        + (near.isEmpty() ? "the end of the statement here" : "'" + near + "' here") + SUPPORTED));
    }
}
