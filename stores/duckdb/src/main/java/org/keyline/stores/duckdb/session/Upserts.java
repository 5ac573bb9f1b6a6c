package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.engine.BoundStep;
import org.keyline.stores.duckdb.engine.NewRows;
import org.keyline.stores.duckdb.engine.Upsert;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.Translated.PlainRows;

/** INSERTs of plain rows as work that joins with that of other clients. */
final class Upserts {
    private Upserts() {}

    /** The upsert that a statement is: whole rows of a table of Doris's, whose keys have no NULL. Null if it is something else. */
    @Nullable
    static Upsert of(Translated translated, BoundStep step) {
        PlainRows plain = translated.plain();
        TableDefinition target = translated.target();
        if (plain == null
                || !plain.replaces()
                || target == null
                || target.flavour() != Flavour.DORIS
                || plain.columns().size() != target.columns().size()) {
            return null;
        }
        int width = plain.columns().size();
        List<Integer> keys =
                target.keyColumns().stream().map(plain.columns()::indexOf).toList();
        List<@Nullable Object> values = fitted(translated, step);
        List<List<@Nullable Object>> cells = new ArrayList<>();
        for (int from = 0; from < values.size(); from += width) {
            List<@Nullable Object> row = values.subList(from, from + width);
            for (int key : keys) {
                if (row.get(key) == null) {
                    return null;
                }
            }
            cells.add(row);
        }
        return new Upsert(DuckDdl.name(target), columns(plain, target), keys, cells);
    }

    /** The row that a statement adds to one of MySQL's tables; null if it does something else. */
    @Nullable
    static NewRows added(Translated translated, BoundStep step) {
        PlainRows plain = translated.plain();
        TableDefinition target = translated.target();
        if (plain == null
                || plain.replaces()
                || target == null
                || target.flavour() != Flavour.MYSQL
                || step.values().size() != plain.columns().size()) {
            return null;
        }
        String head =
                "INSERT INTO " + DuckDdl.name(target) + " (" + String.join(", ", columns(plain, target)) + ") VALUES ";
        return new NewRows(head, List.of(fitted(translated, step)));
    }

    private static List<String> columns(PlainRows plain, TableDefinition target) {
        return plain.columns().stream()
                .map(ordinal -> DuckDdl.quoted(target.columns().get(ordinal).name()))
                .toList();
    }

    /** The values of a step, whole numbers in the widths of their columns: DuckDB plans a statement anew whose values have other types. */
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
