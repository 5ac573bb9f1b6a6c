package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.TableDefinition.Flavour;

/** Checks a key by Doris's rules for the keys of its tables, or by MySQL's for a primary key. */
final class KeyRules {

    private KeyRules() {}

    interface Maker {
        TableDefinition make(List<DeclaredColumn> columns, List<Integer> keys, TableModel model);
    }

    static TableDefinition checked(
            TableName name,
            Flavour flavour,
            Maker maker,
            List<DeclaredColumn> columns,
            @Nullable List<String> keyNames,
            TableModel model) {
        if (columns.isEmpty()) {
            throw new StatementRefusedException(1113, "42000", "A table must have at least 1 column");
        }
        CreateTableReader.refuseDuplicates(columns);
        if (flavour == Flavour.DORIS) {
            return doris(maker, columns, keyNames, model);
        }
        for (DeclaredColumn column : columns) {
            refuseAggregation(column, column.aggregation() != null);
        }
        List<Integer> keys = keyNames == null ? List.of() : ordinals(columns, keyNames, "PRIMARY KEY");
        List<DeclaredColumn> result = new ArrayList<>(columns);
        for (int key : keys) {
            DeclaredColumn column = result.get(key);
            if ("NULL".equals(column.schema().defaultSql())) {
                throw new StatementRefusedException(1067, "42000", "Invalid default value for '" + column.name() + "'");
            }
            result.set(key, column.notNull());
        }
        refuseSecondAutoIncrement(result);
        return maker.make(result, keys, model);
    }

    private static TableDefinition doris(
            Maker maker, List<DeclaredColumn> columns, @Nullable List<String> keyNames, TableModel declared) {
        TableModel model = declared == TableModel.NONE ? TableModel.DUPLICATE : declared;
        List<Integer> keys;
        if (keyNames == null) {
            keys = model == TableModel.DUPLICATE ? defaultDuplicateKey(columns) : List.of();
        } else {
            keys = ordinals(columns, keyNames, model + " KEY");
        }
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i) != i) {
                throw refused("Key columns must be the first columns of the table, in their order: '"
                        + columns.get(keys.get(i)).name() + "' is key column " + (i + 1) + " and column "
                        + (keys.get(i) + 1) + " of the table");
            }
            refuseKeyType(columns.get(i));
        }
        for (int i = 0; i < columns.size(); i++) {
            DeclaredColumn column = columns.get(i);
            boolean isKey = i < keys.size();
            refuseAggregation(column, column.aggregation() != null && (isKey || model != TableModel.AGGREGATE));
            if (column.aggregation() == null && !isKey && model == TableModel.AGGREGATE) {
                throw refused("Column '" + column.name() + "' of an aggregate table needs an aggregation");
            }
        }
        refuseSecondAutoIncrement(columns);
        return maker.make(columns, keys, model);
    }

    private static void refuseAggregation(DeclaredColumn column, boolean misplaced) {
        if (misplaced) {
            throw refused("Column '" + column.name() + "' must not have the aggregation " + column.aggregation());
        }
    }

    /** Returns Doris's default key: at most three leading columns that may be key columns. */
    private static List<Integer> defaultDuplicateKey(List<DeclaredColumn> columns) {
        List<Integer> keys = new ArrayList<>();
        while (keys.size() < 3
                && keys.size() < columns.size()
                && mayBeKey(columns.get(keys.size()).type().type())) {
            keys.add(keys.size());
        }
        return keys;
    }

    private static void refuseKeyType(DeclaredColumn column) {
        if (!mayBeKey(column.type().type())) {
            throw refused(
                    "Column '" + column.name() + "' of type " + column.type().text() + " must not be a key column");
        }
    }

    private static boolean mayBeKey(ColumnType type) {
        return switch (type.kind()) {
            case FLOAT, DOUBLE, TEXT, BLOB, JSON, GEOMETRY, ENUM, SET, TIME, ARRAY, MAP, STRUCT, VARIANT, OTHER ->
                false;
            default -> true;
        };
    }

    private static void refuseSecondAutoIncrement(List<DeclaredColumn> columns) {
        long count = columns.stream().filter(c -> c.schema().autoIncrement()).count();
        if (count > 1) {
            throw new StatementRefusedException(
                    1075, "42000", "Incorrect table definition; there can be only one auto column");
        }
    }

    /** Returns the ordinals of these columns. Each name must be a column and occur only once. */
    static List<Integer> ordinals(List<DeclaredColumn> columns, List<String> names, String clause) {
        List<Integer> ordinals = new ArrayList<>(names.size());
        for (String name : names) {
            int found = -1;
            for (int i = 0; i < columns.size() && found < 0; i++) {
                found = columns.get(i).name().equalsIgnoreCase(name) ? i : -1;
            }
            if (found < 0) {
                throw new StatementRefusedException(
                        1072, "42000", "Key column '" + name + "' of " + clause + " doesn't exist in table");
            }
            if (ordinals.contains(found)) {
                throw new StatementRefusedException(1060, "42S21", "Duplicate column name '" + name + "' in " + clause);
            }
            ordinals.add(found);
        }
        return ordinals;
    }

    private static StatementRefusedException refused(String message) {
        return new StatementRefusedException(1105, "HY000", message);
    }
}
