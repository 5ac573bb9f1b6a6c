package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;

/**
 * Rows of a load that are inserted many at a time, where that comes to the same as one after the other: none of them meets another, or
 * a row of the table, that has its key. Used by one thread at a time.
 */
final class BulkRows {
    /** So many at a time. */
    static final int MANY = 128;

    /**
     * What was done.
     *
     * @param replaced rows of the table that rows of the load took the place of
     */
    record Written(long inserted, long replaced) {}

    private final String table;
    private final Step one;
    private final Step many;
    private final List<String> keyNames;
    private final List<Integer> keyPositions;
    private final boolean replaces;

    private BulkRows(
            String table, Step one, Step many, List<String> keyNames, List<Integer> keyPositions, boolean replaces) {
        this.table = table;
        this.one = one;
        this.many = many;
        this.keyNames = List.copyOf(keyNames);
        this.keyPositions = List.copyOf(keyPositions);
        this.replaces = replaces;
    }

    /**
     * For a load whose single rows are written so; null where its rows must be written one by one.
     *
     * @param row the translation of one row
     */
    static @Nullable BulkRows of(LoadStatement load, Translated row, DuckDbState session) {
        TableDefinition table = load.table();
        boolean otherKeys = table.indexes().stream().anyMatch(index -> index.unique());
        boolean upserts = table.flavour() == Flavour.DORIS && table.model() == TableModel.UNIQUE;
        if (row.autoIncrement() >= 0 || otherKeys || upserts) {
            return null;
        }
        List<Parameter> parameters = row.result().parameters();
        List<String> names = new ArrayList<>();
        List<Integer> positions = new ArrayList<>();
        if (table.model() == TableModel.UNIQUE) {
            for (int ordinal : table.keyColumns()) {
                int position = position(parameters, table, ordinal);
                if (position < 0) {
                    return null;
                }
                names.add(DuckDdl.quoted(table.columns().get(ordinal).name()));
                positions.add(position);
            }
        }
        Translated one = translated(load, 1, session);
        Translated many = translated(load, MANY, session);
        boolean repeats = one.steps().size() == 1
                && many.steps().size() == 1
                && sources(one.result()).equals(sources(row.result()))
                && many.result().parameters().size() == MANY * parameters.size()
                && sources(many.result())
                        .subList(0, parameters.size())
                        .equals(sources(many.result())
                                .subList((MANY - 1) * parameters.size(), MANY * parameters.size()))
                && sources(many.result()).subList(0, parameters.size()).equals(sources(one.result()));
        return repeats
                ? new BulkRows(
                        DuckDdl.name(table),
                        one.result(),
                        many.result(),
                        names,
                        positions,
                        load.verb().equals("REPLACE"))
                : null;
    }

    private static int position(List<Parameter> parameters, TableDefinition table, int ordinal) {
        for (int i = 0; i < parameters.size(); i++) {
            if (table.columns().get(ordinal).schema().equals(parameters.get(i).column())) {
                return i;
            }
        }
        return -1;
    }

    private static Translated translated(LoadStatement load, int rows, DuckDbState session) {
        StatementText text = StatementText.of(
                LoadReader.insert("INSERT", load, rows), session.variables().sqlMode());
        return session.services().translations().of(LoadedRows.ofTexts(text), session.translationContext());
    }

    private static List<List<Object>> sources(Step step) {
        List<List<Object>> sources = new ArrayList<>();
        for (Parameter parameter : step.parameters()) {
            sources.add(Arrays.asList(parameter.source(), parameter.conversion(), String.valueOf(parameter.column())));
        }
        return sources;
    }

    /** Writes all rows, or answers null and writes none where one of them meets another. */
    @Nullable
    Written write(List<List<@Nullable Object>> rows, EngineConnection connection) throws SQLException {
        long replaced = 0;
        if (!keyPositions.isEmpty()) {
            if (meetOneAnother(rows)) {
                return null;
            }
            List<@Nullable Object> keys = new ArrayList<>();
            rows.forEach(row -> keyPositions.forEach(position -> keys.add(row.get(position))));
            String which = " FROM " + table + " WHERE " + inKeys(rows.size());
            String found =
                    connection.texts("SELECT count(*)" + which, keys).get(0).get(0);
            replaced = Long.parseLong(String.valueOf(found));
            if (replaced > 0 && !replaces) {
                return null;
            }
            if (replaced > 0) {
                connection.update("DELETE" + which, keys);
            }
        }
        if (rows.size() == MANY) {
            List<@Nullable Object> values = new ArrayList<>();
            rows.forEach(values::addAll);
            connection.update(many.sql(), values);
        } else {
            for (List<@Nullable Object> row : rows) {
                connection.update(one.sql(), row);
            }
        }
        return new Written(rows.size(), replaced);
    }

    private boolean meetOneAnother(List<List<@Nullable Object>> rows) {
        Set<List<String>> keys = new HashSet<>();
        for (List<@Nullable Object> row : rows) {
            List<String> key = new ArrayList<>();
            for (int position : keyPositions) {
                Object value = row.get(position);
                key.add(value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value));
            }
            if (!keys.add(key)) {
                return true;
            }
        }
        return false;
    }

    private String inKeys(int rows) {
        String names = String.join(", ", keyNames);
        if (keyNames.size() == 1) {
            return names + " IN (?" + ", ?".repeat(rows - 1) + ")";
        }
        String tuple = "(?" + ", ?".repeat(keyNames.size() - 1) + ")";
        return "(" + names + ") IN (" + tuple + (", " + tuple).repeat(rows - 1) + ")";
    }
}
