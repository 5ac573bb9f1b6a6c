package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.engine.BoundStep;
import org.keyline.stores.duckdb.engine.ValueRows;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.Translated.PlainRows;

/** Converts INSERTs of plain values to rows that the writer joins with those of other clients. */
final class PlainInserts {
    private PlainInserts() {}

    /**
     * Returns the rows that a statement writes; null for statements that the writer cannot join.
     * For a Doris table, these are whole rows whose keys have no NULL. For a MySQL table, this is a
     * single added row.
     */
    @Nullable
    static ValueRows of(Translated translated, BoundStep step) {
        PlainRows plain = translated.plain();
        TableDefinition target = translated.target();
        if (plain == null || target == null) {
            return null;
        }
        int width = plain.columns().size();
        boolean joins = plain.replaces()
                ? target.flavour() == Flavour.DORIS && width == target.columns().size()
                : target.flavour() == Flavour.MYSQL && width == step.values().size();
        if (!joins) {
            return null;
        }
        List<Integer> keys = plain.replaces()
                ? target.keyColumns().stream().map(plain.columns()::indexOf).toList()
                : List.of();
        List<@Nullable Object> values = fitted(translated, step);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int from = 0; from < values.size(); from += width) {
            List<@Nullable Object> row = values.subList(from, from + width);
            if (keys.stream().anyMatch(key -> row.get(key) == null)) {
                return null;
            }
            rows.add(row);
        }
        return new ValueRows(DuckDdl.name(target), columns(plain, target), keys, rows);
    }

    private static List<String> columns(PlainRows plain, TableDefinition target) {
        return plain.columns().stream()
                .map(ordinal -> DuckDdl.quoted(target.columns().get(ordinal).name()))
                .toList();
    }

    /**
     * Returns the values of a step, with whole numbers in the widths of their columns, because
     * DuckDB plans a prepared statement again if the types of its values change.
     */
    private static List<@Nullable Object> fitted(Translated translated, BoundStep step) {
        List<Parameter> parameters = translated.result().parameters();
        List<@Nullable Object> fitted = new ArrayList<>(parameters.size());
        for (int i = 0; i < parameters.size(); i++) {
            @Nullable Object value = step.values().get(i);
            ColumnSchema column = parameters.get(i).column();
            fitted.add(column != null && value instanceof Long whole ? fitted(whole, column.type()) : value);
        }
        return fitted;
    }

    private static Object fitted(long whole, ColumnType type) {
        boolean signed = !type.unsigned();
        return switch (type.kind()) {
            case INT, MEDIUMINT -> signed && whole == (int) whole ? (Object) (int) whole : whole;
            case SMALLINT -> signed && whole == (short) whole ? (Object) (short) whole : whole;
            case TINYINT -> signed && whole == (byte) whole ? (Object) (byte) whole : whole;
            default -> whole;
        };
    }
}
