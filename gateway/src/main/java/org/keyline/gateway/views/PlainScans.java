package org.keyline.gateway.views;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.planner.statement.KeylineViews;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.StoreException;

/**
 * Runs plain reads of views without the embedded store: the columns of one view, conditions that all have to hold, ORDER BY, LIMIT; and tells
 * the views and their columns. Anything else is refused by name. Thread-safe.
 */
public final class PlainScans implements ViewEngine {
    /*
     * Where there is the embedded store, it runs what cannot be run here with the very same bytes; a plain read would take it a hundred times
     * longer.
     */

    private static final String EXPECTED =
            "without the embedded store, views of Keyline are read by SELECT columns FROM "
                    + "keyline.view [WHERE column = value AND …] [ORDER BY column [DESC], …] [LIMIT n], SHOW TABLES FROM keyline"
                    + " and DESCRIBE keyline.view";

    /** Whole numbers of so many digits are doubles, too. */
    private static final int EXACT_DIGITS = 15;

    private final Map<String, View> views;

    /** @param views by name, in lower case */
    public PlainScans(Map<String, View> views) {
        this.views = Map.copyOf(views);
    }

    @Override
    public CompletionStage<ViewResult> describe(ViewRead query) {
        return CompletableFuture.completedFuture(query)
                .thenApply(asked -> new Reader(asked.sql()).read().described());
    }

    @Override
    public CompletionStage<ViewResult> run(ViewRead query, View.Asker asker, boolean binary) {
        return CompletableFuture.completedFuture(query).thenApply(asked -> {
            Scan scan = new Reader(asked.sql()).read();
            return scan.result(scan.view().rows().apply(asker), binary);
        });
    }

    /** What {@link #describe} tells, if the embedded store would tell the same; else null. */
    @Nullable
    ViewResult describeExactly(ViewRead query) {
        Scan scan = exact(query);
        return scan == null ? null : scan.described();
    }

    /** What {@link #run} answers, if the embedded store would answer the same; else null. */
    @Nullable
    ViewResult runExactly(ViewRead query, View.Asker asker, boolean binary) {
        Scan scan = exact(query);
        if (scan == null) {
            return null;
        }
        List<List<@Nullable Object>> rows = scan.view().rows().apply(asker);
        return scan.comparesExactly(rows) ? scan.result(rows, binary) : null;
    }

    private @Nullable Scan exact(ViewRead query) {
        try {
            Scan scan = new Reader(query.sql()).read();
            return scan.exact() ? scan : null;
        } catch (StoreException notPlain) {
            return null;
        }
    }

    @Override
    public void close() {
        // Holds nothing.
    }

    /** Reads one text. */
    private final class Reader {
        private final List<Token> tokens;
        private final byte[] sql;
        private int at;
        private boolean exact = true;

        Reader(String sql) {
            tokens = new ArrayList<>(Lexer.tokens(sql, SqlMode.DEFAULT));
            while (!tokens.isEmpty() && tokens.get(tokens.size() - 1).type() == TokenType.SEMICOLON) {
                tokens.remove(tokens.size() - 1);
            }
            this.sql = sql.getBytes(StandardCharsets.UTF_8);
        }

        Scan read() {
            if (accept("SELECT")) {
                return select();
            }
            exact = false;
            if (accept("DESCRIBE") || accept("DESC") || accept("EXPLAIN")) {
                return describe(named());
            }
            if (accept("SHOW")) {
                boolean full = accept("FULL");
                if (accept("TABLES")) {
                    return tables(full);
                }
                if (accept("COLUMNS") || accept("FIELDS")) {
                    return columns();
                }
            }
            throw refused();
        }

        private Scan select() {
            List<String> names = new ArrayList<>();
            boolean all = acceptSymbol("*");
            while (!all) {
                names.add(name());
                if (!acceptSymbol(",")) {
                    break;
                }
            }
            require(accept("FROM"));
            View view = named();
            List<Integer> picked = new ArrayList<>();
            for (int i = 0; all && i < view.columns().size(); i++) {
                picked.add(i);
                names.add(view.columns().get(i).name());
            }
            if (!all) {
                names.forEach(name -> picked.add(column(view, name)));
            }
            List<Scan.Condition> conditions = new ArrayList<>();
            if (accept("WHERE")) {
                do {
                    conditions.add(condition(view));
                } while (accept("AND"));
            }
            List<Scan.Order> orders = new ArrayList<>();
            if (accept("ORDER")) {
                require(accept("BY"));
                do {
                    orders.add(order(view));
                } while (acceptSymbol(","));
            }
            long limit = accept("LIMIT") ? number() : Long.MAX_VALUE;
            require(at == tokens.size());
            return new Scan(view, picked, names, conditions, orders, limit, exact);
        }

        private Scan.Condition condition(View view) {
            int column = column(view, name());
            View.Type type = view.columns().get(column).type();
            boolean numeric = type == View.Type.INTEGER || type == View.Type.NUMBER;
            for (Scan.Operator operator : Scan.Operator.values()) {
                if ((numeric || operator == Scan.Operator.EQUAL) && acceptSymbol(operator.symbol())) {
                    TokenType given = at < tokens.size() ? tokens.get(at).type() : TokenType.END;
                    String value = value();
                    boolean sameKind = numeric
                            ? given == TokenType.INTEGER && value.length() <= EXACT_DIGITS
                            : type == View.Type.TEXT && given == TokenType.STRING;
                    exact &= sameKind || given == TokenType.PLACEHOLDER;
                    return new Scan.Condition(column, operator, value);
                }
            }
            throw refused();
        }

        private Scan.Order order(View view) {
            int column = column(view, name());
            exact &= view.columns().get(column).type() != View.Type.TEXT;
            boolean descending = accept("DESC");
            if (!descending) {
                boolean unused = accept("ASC");
            }
            return new Scan.Order(column, descending);
        }

        private Scan tables(boolean full) {
            require(accept("FROM") || accept("IN"));
            require(name().equalsIgnoreCase(KeylineViews.SCHEMA));
            String like = accept("LIKE") ? value() : "%";
            require(at == tokens.size() && (like.equals("%") || views.containsKey(like.toLowerCase(Locale.ROOT))));
            View names = View.of(
                    "tables",
                    asker -> views.keySet().stream()
                            .filter(name -> like.equals("%") || name.equalsIgnoreCase(like))
                            .sorted()
                            .map(name -> List.<@Nullable Object>of(name, "VIEW"))
                            .toList(),
                    "Tables_in_keyline TEXT",
                    "Table_type TEXT");
            return told(names, full ? List.of(0, 1) : List.of(0));
        }

        private Scan columns() {
            require(accept("FROM") || accept("IN"));
            String first = name();
            String view = acceptSymbol(".") || accept("FROM") || accept("IN") ? name() : "";
            boolean behind = view.equalsIgnoreCase(KeylineViews.SCHEMA);
            require(behind || first.equalsIgnoreCase(KeylineViews.SCHEMA));
            return describe(view(behind ? first : view));
        }

        private Scan describe(View view) {
            require(at == tokens.size());
            View told = View.of(
                    view.name(),
                    asker -> view.columns().stream()
                            .map(column ->
                                    row(column.name(), column.type().declared.toLowerCase(Locale.ROOT)))
                            .toList(),
                    "Field TEXT",
                    "Type TEXT",
                    "Null TEXT",
                    "Key TEXT",
                    "Default TEXT",
                    "Extra TEXT");
            return told(told, List.of(0, 1, 2, 3, 4, 5));
        }

        private Scan told(View view, List<Integer> picked) {
            List<String> labels = picked.stream()
                    .map(column -> view.columns().get(column).name())
                    .toList();
            return new Scan(view, picked, labels, List.of(), List.of(), Long.MAX_VALUE, exact);
        }

        private static List<@Nullable Object> row(String name, String type) {
            List<@Nullable Object> row = new ArrayList<>(List.of(name, type, "YES", ""));
            row.add(null);
            row.add("");
            return row;
        }

        private View named() {
            require(name().equalsIgnoreCase(KeylineViews.SCHEMA) && acceptSymbol("."));
            return view(name());
        }

        private View view(String name) {
            View view = views.get(name.toLowerCase(Locale.ROOT));
            if (view == null) {
                throw new StoreException(ErrPacket.of(
                        ErrorCode.ER_NO_SUCH_TABLE, "Table '" + KeylineViews.SCHEMA + "." + name + "' doesn't exist"));
            }
            exact &= name.equals(view.name());
            return view;
        }

        private int column(View view, String name) {
            int column = view.indexOf(name);
            if (column < 0) {
                throw new StoreException(ErrPacket.of(
                        ErrorCode.ER_BAD_FIELD_ERROR,
                        "Unknown column '" + name + "' in '" + KeylineViews.SCHEMA + "." + view.name() + "'"));
            }
            return column;
        }

        private String name() {
            require(at < tokens.size() && tokens.get(at).type().isName());
            return tokens.get(at++).name();
        }

        /** That of a placeholder is not known yet: an empty text. */
        private String value() {
            require(at < tokens.size() && tokens.get(at).type().isValue());
            Token token = tokens.get(at++);
            if (token.type() == TokenType.PLACEHOLDER) {
                return "";
            }
            if (token.type() != TokenType.STRING) {
                return token.text();
            }
            Digester digester = new Digester();
            digester.digest(sql, token.start(), token.end(), SqlMode.DEFAULT);
            return new String(digester.stringValue(0), StandardCharsets.UTF_8);
        }

        private long number() {
            TokenType given = at < tokens.size() ? tokens.get(at).type() : TokenType.END;
            exact &= given == TokenType.INTEGER || given == TokenType.PLACEHOLDER;
            String value = value();
            if (given == TokenType.PLACEHOLDER) {
                return 0;
            }
            try {
                return Long.parseLong(value);
            } catch (NumberFormatException noNumber) {
                throw refused();
            }
        }

        private boolean accept(String word) {
            boolean there = at < tokens.size() && tokens.get(at).is(word);
            at += there ? 1 : 0;
            return there;
        }

        private boolean acceptSymbol(String symbol) {
            boolean there = at < tokens.size() && tokens.get(at).isSymbol(symbol);
            at += there ? 1 : 0;
            return there;
        }

        private void require(boolean met) {
            if (!met) {
                throw refused();
            }
        }

        private StoreException refused() {
            return new StoreException(ErrPacket.of(ErrorCode.ER_NOT_SUPPORTED_YET, EXPECTED));
        }
    }
}
