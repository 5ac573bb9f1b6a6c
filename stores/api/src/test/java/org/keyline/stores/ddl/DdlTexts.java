package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlStatement.AlterTable;
import org.keyline.stores.ddl.DdlStatement.CreateTable;
import org.keyline.stores.ddl.Partitioning.Bound;
import org.keyline.stores.ddl.Partitioning.Partition;

/**
 * Data definitions of schema {@code d}, each with the result on one line, so that a table of cases
 * is readable.
 */
final class DdlTexts {
    private DdlTexts() {}

    static DdlStatement read(String sql) {
        return new DdlReader(SqlMode.DEFAULT).read(sql, "d");
    }

    static TableDefinition table(String sql) {
        return ((CreateTable) read(sql)).definition();
    }

    /** Returns the error of a refused statement: its number, SQLSTATE and text. */
    static StatementRefusedException refusal(String sql) {
        try {
            throw new AssertionError(sql + " is read as " + read(sql));
        } catch (StatementRefusedException refused) {
            return refused;
        }
    }

    /**
     * Returns {@code UNIQUE[k] k bigint NOT NULL / v text DEFAULT 'x'}, followed by indexes and
     * clauses, if any.
     */
    static String text(TableDefinition table) {
        StringBuilder text = new StringBuilder(table.flavour().name())
                .append(' ')
                .append(table.model())
                .append(names(table, table.keyColumns()))
                .append(' ');
        text.append(table.columns().stream().map(DdlTexts::column).collect(Collectors.joining(" / ")));
        table.indexes().forEach(index -> text.append(" ; ").append(index(index)));
        if (!table.bucketColumns().isEmpty() || table.randomDistribution()) {
            text.append(" ; buckets ")
                    .append(table.randomDistribution() ? "random" : names(table, table.bucketColumns()))
                    .append(' ')
                    .append(table.buckets());
        }
        if (!table.clusterBy().isEmpty()) {
            text.append(" ; cluster ").append(names(table, table.clusterBy()));
        }
        if (table.partitioning() != null) {
            text.append(" ; ").append(partitioning(table.partitioning()));
        }
        if (!table.comment().isEmpty()) {
            text.append(" ; comment ").append(table.comment());
        }
        if (!table.properties().isEmpty()) {
            text.append(" ; ").append(properties(table.properties()));
        }
        return text.toString();
    }

    static String column(DeclaredColumn column) {
        ColumnSchema schema = column.schema();
        return column.name()
                + ' '
                + column.type().text()
                + (column.aggregation() == null ? "" : " " + column.aggregation())
                + (schema.nullable() ? "" : " NOT NULL")
                + (schema.autoIncrement() ? " AUTO" : "")
                + (schema.defaultSql() == null ? "" : " DEFAULT " + schema.defaultSql())
                + (column.onUpdate() == null ? "" : " ON UPDATE " + column.onUpdate())
                + (schema.comment().isEmpty() ? "" : " COMMENT " + schema.comment());
    }

    static String index(TableIndex index) {
        return (index.unique() ? "unique " : "index ")
                + index.name()
                + index.columns()
                + (index.using() == null ? "" : " " + index.using())
                + (index.properties().isEmpty() ? "" : " " + properties(index.properties()))
                + (index.comment().isEmpty() ? "" : " COMMENT " + index.comment());
    }

    static String partitioning(Partitioning partitioning) {
        return (partitioning.automatic() ? "auto " : "")
                + partitioning.method()
                + partitioning.columns()
                + partitioning.partitions().stream().map(DdlTexts::partition).collect(Collectors.joining(" "));
    }

    /**
     * Returns {@code p[1..9)}, where {@code -} begins at the end of the partition before;
     * {@code p{1 2}} for a list.
     */
    static String partition(Partition partition) {
        List<Bound> upper = partition.upper();
        if (upper == null) {
            return partition.name()
                    + partition.values().stream().map(DdlTexts::bounds).collect(Collectors.joining(" ", "{", "}"));
        }
        List<Bound> lower = partition.lower();
        return partition.name() + '[' + (lower == null ? "-" : bounds(lower)) + ".." + bounds(upper) + ')';
    }

    private static String bounds(List<Bound> bounds) {
        return bounds.stream()
                .map(bound -> bound.text() == null ? bound.kind().name() : bound.text())
                .collect(Collectors.joining(","));
    }

    private static String properties(Map<String, String> properties) {
        return properties.entrySet().stream()
                .map(property -> property.getKey() + '=' + property.getValue())
                .collect(Collectors.joining(" "));
    }

    private static List<String> names(TableDefinition table, List<Integer> ordinals) {
        List<String> names = new ArrayList<>();
        ordinals.forEach(ordinal -> names.add(table.columns().get(ordinal).name()));
        return names;
    }

    /** Returns the changes of an ALTER TABLE. */
    static String changes(String sql) {
        return ((AlterTable) read(sql)).changes().stream().map(DdlTexts::change).collect(Collectors.joining("; "));
    }

    static String change(TableChange change) {
        if (change instanceof TableChange.AddColumn add) {
            return "add " + column(add.column()) + place(add.place(), add.after())
                    + (add.ifNotExists() ? " unless there" : "");
        }
        if (change instanceof TableChange.DropColumn drop) {
            return "drop " + drop.column() + (drop.ifExists() ? " if there" : "");
        }
        if (change instanceof TableChange.ModifyColumn modify) {
            return "modify " + modify.column() + " to " + column(modify.definition());
        }
        if (change instanceof TableChange.RenameColumn rename) {
            return "rename " + rename.from() + " to " + rename.to();
        }
        if (change instanceof TableChange.SetDefault value) {
            return "default of " + value.column() + " " + value.defaultSql();
        }
        if (change instanceof TableChange.RenameTo rename) {
            return "rename to " + rename.to();
        }
        if (change instanceof TableChange.AddIndex add) {
            return "add " + index(add.index()) + (add.ifNotExists() ? " unless there" : "");
        }
        if (change instanceof TableChange.DropIndex drop) {
            return "drop index " + drop.index() + (drop.ifExists() ? " if there" : "");
        }
        if (change instanceof TableChange.AddPrimaryKey key) {
            return "primary key " + key.columns();
        }
        if (change instanceof TableChange.SetProperties set) {
            return "set " + properties(set.properties());
        }
        return "comment " + ((TableChange.SetComment) change).comment();
    }

    private static String place(TableChange.Place place, @Nullable String after) {
        return switch (place) {
            case LAST -> "";
            case FIRST -> " first";
            case AFTER -> " after " + after;
        };
    }
}
