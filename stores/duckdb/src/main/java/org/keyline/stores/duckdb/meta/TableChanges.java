package org.keyline.stores.duckdb.meta;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.Partitioning;
import org.keyline.stores.ddl.TableChange;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableIndex;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.translate.DuckDdl;

/**
 * Applies the changes of an ALTER TABLE to a definition. Records which old column each column of
 * the new table comes from. Used by one thread.
 */
final class TableChanges {
    /**
     * A column of the new table.
     *
     * @param from the old table's column whose values are copied; null for an added column
     */
    record Slot(DeclaredColumn column, @Nullable String from) {}

    private final TableDefinition before;
    private final List<Slot> slots = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private final List<TableIndex> indexes;
    private final Map<String, String> properties;
    private TableName name;
    private String comment;
    private TableModel model;
    private boolean rowsChange;

    TableChanges(TableDefinition before) {
        this.before = before;
        before.columns().forEach(column -> slots.add(new Slot(column, column.name())));
        before.keyColumns()
                .forEach(ordinal -> keys.add(before.columns().get(ordinal).name()));
        indexes = new ArrayList<>(before.indexes());
        properties = new LinkedHashMap<>(before.properties());
        name = before.name();
        comment = before.comment();
        model = before.model();
    }

    boolean rowsChange() {
        return rowsChange;
    }

    List<Slot> slots() {
        return slots;
    }

    void apply(TableChange change) {
        if (change instanceof TableChange.AddColumn add) {
            add(add);
        } else if (change instanceof TableChange.DropColumn drop) {
            dropColumn(drop.column(), drop.ifExists());
        } else if (change instanceof TableChange.ModifyColumn modify) {
            modify(modify.column(), modify.definition());
        } else if (change instanceof TableChange.RenameColumn rename) {
            DeclaredColumn column = slots.get(ordinal(rename.from())).column();
            ColumnSchema schema = column.schema();
            modify(rename.from(), column.with(rename.to(), schema.nullable(), schema.comment()));
        } else if (change instanceof TableChange.SetDefault set) {
            throw StatementRefusedException.unsupported("ALTER COLUMN " + set.column()
                    + " SET DEFAULT and DROP DEFAULT; MODIFY COLUMN declares a column anew");
        } else if (change instanceof TableChange.RenameTo rename) {
            name = rename.to();
        } else if (change instanceof TableChange.AddIndex add) {
            add(add.index().namedBeside(indexes), add.ifNotExists());
        } else if (change instanceof TableChange.DropIndex drop) {
            drop(drop.index(), drop.ifExists());
        } else if (change instanceof TableChange.AddPrimaryKey add) {
            primaryKey(add.columns());
        } else if (change instanceof TableChange.SetProperties set) {
            properties.putAll(set.properties());
        } else if (change instanceof TableChange.SetComment set) {
            comment = set.comment();
        } else if (change instanceof TableChange.SetColumnComment set) {
            int ordinal = ordinal(set.column());
            Slot slot = slots.get(ordinal);
            DeclaredColumn column = slot.column();
            boolean nullable = column.schema().nullable();
            slots.set(ordinal, new Slot(column.with(column.name(), nullable, set.comment()), slot.from()));
        } else {
            throw StatementRefusedException.unsupported("this ALTER TABLE");
        }
    }

    private void add(TableChange.AddColumn add) {
        boolean exists = find(add.column().name()) >= 0;
        if (exists && add.ifNotExists()) {
            return;
        }
        if (exists) {
            throw Errors.error(
                    1060, "42S21", "Duplicate column name '" + add.column().name() + "'");
        }
        Slot slot = new Slot(add.column(), null);
        switch (add.place()) {
            case FIRST -> slots.add(0, slot);
            case LAST -> slots.add(slot);
            case AFTER -> slots.add(ordinal(String.valueOf(add.after())) + 1, slot);
        }
        rowsChange = true;
    }

    private void dropColumn(String column, boolean ifExists) {
        int ordinal = find(column);
        if (ordinal < 0 && ifExists) {
            return;
        }
        if (ordinal < 0) {
            throw Errors.error(1091, "42000", "Can't DROP '" + column + "'; check that column/key exists");
        }
        if (keys.stream().anyMatch(column::equalsIgnoreCase)) {
            throw StatementRefusedException.unsupported("dropping the key column '" + column + "'");
        }
        refuseNamed(column, "dropping");
        if (slots.size() == 1) {
            throw Errors.error(1090, "42000", "You can't delete all columns with ALTER TABLE; use DROP TABLE instead");
        }
        slots.remove(ordinal);
        indexes.removeIf(index -> index.columns().stream().anyMatch(column::equalsIgnoreCase));
        rowsChange = true;
    }

    private void modify(String column, DeclaredColumn definition) {
        int ordinal = ordinal(column);
        if (!column.equalsIgnoreCase(definition.name()) && find(definition.name()) >= 0) {
            throw Errors.error(1060, "42S21", "Duplicate column name '" + definition.name() + "'");
        }
        if (!column.equalsIgnoreCase(definition.name())) {
            refuseNamed(column, "renaming");
        }
        slots.set(ordinal, new Slot(definition, slots.get(ordinal).from()));
        keys.replaceAll(key -> key.equalsIgnoreCase(column) ? definition.name() : key);
        indexes.replaceAll(index -> new TableIndex(
                index.name(),
                index.columns().stream()
                        .map(c -> c.equalsIgnoreCase(column) ? definition.name() : c)
                        .toList(),
                index.unique(),
                index.using(),
                index.properties(),
                index.comment()));
        rowsChange = true;
    }

    /** Refuses a change of a column that the partitioning or the sequence property names. */
    private void refuseNamed(String column, String change) {
        Partitioning partitioning = before.partitioning();
        if (partitioning != null && names(partitioning, column)) {
            throw StatementRefusedException.unsupported(change + " the partition column '" + column + "'");
        }
        if (column.equalsIgnoreCase(properties.get(DuckDdl.SEQUENCE_COLUMN))) {
            throw StatementRefusedException.unsupported(change + " the sequence column '" + column + "'");
        }
    }

    /** Returns whether the partitioning, by columns or by an expression, names a column. */
    private static boolean names(Partitioning partitioning, String column) {
        List<String> columns = partitioning.columns();
        List<String> words = columns.isEmpty() ? List.of(partitioning.text().split("\\W+")) : columns;
        return words.stream().anyMatch(column::equalsIgnoreCase);
    }

    private void add(TableIndex index, boolean ifNotExists) {
        index.columns().forEach(this::ordinal);
        boolean exists = TableIndex.isNameOfAny(indexes, index.name());
        if (exists && ifNotExists) {
            return;
        }
        if (exists) {
            throw Errors.error(1061, "42000", "Duplicate key name '" + index.name() + "'");
        }
        indexes.add(index);
        rowsChange |= index.unique();
    }

    private void drop(String index, boolean ifExists) {
        TableIndex found = indexes.stream()
                .filter(other -> other.name().equalsIgnoreCase(index))
                .findFirst()
                .orElse(null);
        if (found == null) {
            if (ifExists) {
                return;
            }
            throw Errors.error(1091, "42000", "Can't DROP '" + index + "'; check that column/key exists");
        }
        indexes.remove(found);
        rowsChange |= found.unique();
    }

    private void primaryKey(List<String> columns) {
        if (model == TableModel.UNIQUE) {
            throw Errors.error(1068, "42000", "Multiple primary key defined");
        }
        columns.forEach(this::ordinal);
        keys.clear();
        keys.addAll(columns);
        model = TableModel.UNIQUE;
        rowsChange = true;
    }

    private int ordinal(String column) {
        int found = find(column);
        if (found < 0) {
            throw Errors.error(
                    1054,
                    "42S22",
                    "Unknown column '" + column + "' in '" + before.name().table() + "'");
        }
        return found;
    }

    private int find(String column) {
        for (int i = 0; i < slots.size(); i++) {
            if (slots.get(i).column().name().equalsIgnoreCase(column)) {
                return i;
            }
        }
        return -1;
    }

    TableDefinition after() {
        List<DeclaredColumn> columns = slots.stream().map(Slot::column).toList();
        return new TableDefinition(
                name,
                before.flavour(),
                model,
                columns,
                keys.stream().map(this::ordinal).toList(),
                indexes,
                comment,
                before.partitioning(),
                moved(before.bucketColumns()),
                before.randomDistribution(),
                before.buckets(),
                moved(before.clusterBy()),
                properties);
    }

    /** Converts ordinals of the old table to those of the new one; omits dropped columns. */
    private List<Integer> moved(List<Integer> ordinals) {
        List<Integer> result = new ArrayList<>();
        for (int ordinal : ordinals) {
            String old = before.columns().get(ordinal).name();
            for (int i = 0; i < slots.size(); i++) {
                if (old.equals(slots.get(i).from())) {
                    result.add(i);
                }
            }
        }
        return result;
    }
}
