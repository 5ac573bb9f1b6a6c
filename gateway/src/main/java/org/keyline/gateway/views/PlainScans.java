package org.keyline.gateway.views;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.views.View.Column;
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
 * Runs plain reads of views where there is no embedded store: the columns of one view, conditions of equality, LIMIT; and tells the
 * views and their columns. Anything else is refused by name. Thread-safe.
 */
public final class PlainScans implements ViewEngine {
    private static final String EXPECTED =
            "without the embedded store, views of Keyline are read by SELECT columns FROM "
                    + "keyline.view [WHERE column = value AND …] [LIMIT n], SHOW TABLES FROM keyline and DESCRIBE keyline.view";

    private final Map<String, View> views;

    /** @param views by name, in lower case */
    public PlainScans(Map<String, View> views) {
        this.views = Map.copyOf(views);
    }

    @Override
    public CompletionStage<ViewResult> describe(ViewRead query) {
        return CompletableFuture.completedFuture(query).thenApply(asked -> {
            Scan scan = new Reader(asked.sql()).read();
            return ViewResult.of(scan.columns(), List.of(), false);
        });
    }

    @Override
    public CompletionStage<ViewResult> run(ViewRead query, View.Asker asker, boolean binary) {
        return CompletableFuture.completedFuture(query).thenApply(asked -> {
            Scan scan = new Reader(asked.sql()).read();
            List<List<@Nullable Object>> rows = scan.rows(asker);
            return ViewResult.of(scan.columns(), rows, binary);
        });
    }

    @Override
    public void close() {
        // Holds nothing.
    }

    /** A condition: the cell at a place has this text. */
    private record Condition(int column, String value) {
        boolean holds(List<@Nullable Object> row) {
            Object cell = row.get(column);
            return cell instanceof String text ? text.equalsIgnoreCase(value) : cell != null && equal(cell);
        }

        private boolean equal(Object number) {
            try {
                return Double.parseDouble(value) == Double.parseDouble(number.toString());
            } catch (NumberFormatException noNumber) {
                return false;
            }
        }
    }

    /** What a text asks for. */
    private record Scan(View view, List<Integer> picked, List<Condition> conditions, long limit) {
        List<Column> columns() {
            return picked.stream().map(view.columns()::get).toList();
        }

        List<List<@Nullable Object>> rows(View.Asker asker) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (List<@Nullable Object> row : view.rows().apply(asker)) {
                if (rows.size() < limit && conditions.stream().allMatch(condition -> condition.holds(row))) {
                    List<@Nullable Object> cells = new ArrayList<>();
                    picked.forEach(column -> cells.add(row.get(column)));
                    rows.add(cells);
                }
            }
            return rows;
        }
    }

    /** Reads one text. */
    private final class Reader {
        private final List<Token> tokens;
        private final byte[] sql;
        private int at;

        Reader(String sql) {
            tokens = new ArrayList<>(Lexer.tokens(sql, SqlMode.DEFAULT));
            tokens.removeIf(token -> token.type() == TokenType.SEMICOLON);
            this.sql = sql.getBytes(StandardCharsets.UTF_8);
        }

        Scan read() {
            if (accept("SELECT")) {
                return select();
            }
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
            }
            names.forEach(name -> picked.add(column(view, name)));
            List<Condition> conditions = new ArrayList<>();
            if (accept("WHERE")) {
                do {
                    int column = column(view, name());
                    require(acceptSymbol("="));
                    conditions.add(new Condition(column, value()));
                } while (accept("AND"));
            }
            long limit = accept("LIMIT") ? number() : Long.MAX_VALUE;
            require(at == tokens.size());
            return new Scan(view, picked, conditions, limit);
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
            return new Scan(names, full ? List.of(0, 1) : List.of(0), List.of(), Long.MAX_VALUE);
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
            return new Scan(told, List.of(0, 1, 2, 3, 4, 5), List.of(), Long.MAX_VALUE);
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

        private String value() {
            require(at < tokens.size() && tokens.get(at).type().isValue());
            Token token = tokens.get(at++);
            if (token.type() != TokenType.STRING) {
                return token.text();
            }
            Digester digester = new Digester();
            digester.digest(sql, token.start(), token.end(), SqlMode.DEFAULT);
            return new String(digester.stringValue(0), StandardCharsets.UTF_8);
        }

        private long number() {
            try {
                return Long.parseLong(value());
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
