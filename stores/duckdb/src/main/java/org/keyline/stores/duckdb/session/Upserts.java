package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.engine.BoundStep;
import org.keyline.stores.duckdb.engine.NewRows;
import org.keyline.stores.duckdb.engine.Upsert;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Translated;

/**
 * Recognises translated inserts that write whole rows of plain values over the rows with their keys, and those that add one row of plain
 * values. It compares the text with the one form that means just that; whatever differs, in a condition, a default or an expression, stays
 * as it is.
 */
final class Upserts {
    private static final String ALIAS = " AS \"target\" (";
    private static final String VALUES = ") VALUES ";

    private Upserts() {}

    /** The upsert that a statement is; null if it is something else. */
    @Nullable
    static Upsert of(Translated translated, BoundStep step) {
        TableDefinition target = translated.target();
        if (target == null
                || translated.kind() != Translated.Kind.INSERT
                || target.flavour() != Flavour.DORIS
                || target.model() != TableModel.UNIQUE) {
            return null;
        }
        String head = "INSERT INTO " + DuckDdl.name(target) + ALIAS;
        if (!step.sql().startsWith(head)) {
            return null;
        }
        List<String> columns = columns(target, step.sql(), head.length());
        if (columns == null || step.values().size() % columns.size() != 0) {
            return null;
        }
        List<Integer> keys = new ArrayList<>();
        target.keyColumns().forEach(ordinal -> keys.add(columns.indexOf(quoted(target, ordinal))));
        int rows = step.values().size() / columns.size();
        if (!isWhole(step.sql(), head + String.join(", ", columns), columns, keys, rows)) {
            return null;
        }
        List<@Nullable Object> values = fitted(translated, step);
        List<List<@Nullable Object>> cells = new ArrayList<>(rows);
        for (int row = 0; row < rows; row++) {
            List<@Nullable Object> of = values.subList(row * columns.size(), (row + 1) * columns.size());
            for (int key : keys) {
                if (of.get(key) == null) {
                    return null;
                }
            }
            cells.add(of);
        }
        return new Upsert(DuckDdl.name(target), columns, keys, cells);
    }

    /** The row that a statement adds to one of MySQL's tables; null if it does something else. */
    @Nullable
    static NewRows added(Translated translated, BoundStep step) {
        TableDefinition target = translated.target();
        int values = step.values().size();
        if (target == null
                || translated.kind() != Translated.Kind.INSERT
                || target.flavour() != Flavour.MYSQL
                || values == 0
                || !step.sql().startsWith("INSERT INTO " + DuckDdl.name(target) + ALIAS)) {
            return null;
        }
        // It has as many placeholders as values, so nothing but these is in its row.
        String row = VALUES + "(?" + ", ?".repeat(values - 1) + ")";
        if (!step.sql().endsWith(row)) {
            return null;
        }
        String head = step.sql().substring(0, step.sql().length() - row.length()) + VALUES;
        return new NewRows(head, List.of(fitted(translated, step)));
    }

    /** The values of a step, whole numbers in the widths of their columns: DuckDB plans a statement anew whose values have other types. */
    private static List<@Nullable Object> fitted(Translated translated, BoundStep step) {
        List<Parameter> parameters = translated.steps().get(0).parameters();
        if (parameters.size() != step.values().size()) {
            // Of other forms it is not known which value is which column's: they are planned anew.
            return step.values();
        }
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

    /** The columns named from an offset on, if they are all of the table's; else null. */
    @Nullable
    private static List<String> columns(TableDefinition target, String sql, int from) {
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < target.columns().size(); i++) {
            missing.add(quoted(target, i));
        }
        List<String> named = new ArrayList<>();
        int at = from;
        while (!missing.isEmpty()) {
            String found = null;
            for (String column : missing) {
                if (sql.startsWith(column, at)) {
                    found = column;
                }
            }
            if (found == null) {
                return null;
            }
            named.add(found);
            missing.remove(found);
            at += found.length() + (missing.isEmpty() ? 0 : ", ".length());
        }
        return sql.startsWith(")", at) ? named : null;
    }

    private static String quoted(TableDefinition target, int ordinal) {
        DeclaredColumn column = target.columns().get(ordinal);
        return DuckDdl.quoted(column.name());
    }

    /** Whether a text inserts rows of bare parameters and, on a conflict, sets every column that is no key. */
    private static boolean isWhole(String sql, String head, List<String> columns, List<Integer> keys, int rows) {
        List<String> names = new ArrayList<>();
        keys.forEach(key -> names.add(columns.get(key)));
        List<String> sets = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!keys.contains(i)) {
                sets.add(columns.get(i) + " = \"excluded\"." + columns.get(i));
            }
        }
        String tail = " ON CONFLICT (" + String.join(", ", names) + ")"
                + (sets.isEmpty() ? " DO NOTHING" : " DO UPDATE SET " + String.join(", ", sets));
        if (!sql.endsWith(tail)) {
            return false;
        }
        String row = "?" + ", ?".repeat(columns.size() - 1);
        if (rows == 1) {
            return sql.equals(head + VALUES + "(" + row + ")" + tail);
        }
        StringBuilder numbered = new StringBuilder(rows * (row.length() + 10)).append("FROM (VALUES ");
        for (int i = 0; i < rows; i++) {
            numbered.append(i == 0 ? "(" : ", (")
                    .append(row)
                    .append(", ")
                    .append(i)
                    .append(')');
        }
        int at = sql.indexOf(numbered.append(") AS \"rows\"(").toString());
        return at > 0 && sql.startsWith(head + ") SELECT CAST(\"c0\"") && sql.endsWith(" WHERE \"#rank\" = 1" + tail);
    }
}
