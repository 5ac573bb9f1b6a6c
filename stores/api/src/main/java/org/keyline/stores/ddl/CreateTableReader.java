package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.TableDefinition.Flavour;

/** Parses a CREATE TABLE from its column list to its end. Used once per statement. */
final class CreateTableReader {

    private static final int MAX_COLUMNS = 4_096;
    private static final int MAX_INDEXES = 1_024;
    private static final int MAX_PROPERTIES = 1_024;

    private final DdlCursor tokens;
    private final TableName name;
    private final Flavour flavour;
    private final List<DeclaredColumn> columns = new ArrayList<>();
    private final List<TableIndex> indexes = new ArrayList<>();
    private final Map<String, String> properties = new LinkedHashMap<>();

    private TableModel model = TableModel.NONE;
    private @Nullable List<String> keyNames;
    private List<String> clusterNames = List.of();
    private List<String> bucketNames = List.of();
    private boolean randomDistribution;
    private @Nullable String buckets;
    private @Nullable Partitioning partitioning;
    private String comment = "";

    CreateTableReader(DdlCursor tokens, TableName name) {
        this.tokens = tokens;
        this.name = name;
        this.flavour = tokens.dorisClausesAhead() ? Flavour.DORIS : Flavour.MYSQL;
    }

    TableDefinition read() {
        tokens.expectSymbol("(");
        boolean more = true;
        while (more) {
            element();
            more = tokens.acceptSymbol(",") && !(flavour == Flavour.DORIS && tokens.atSymbol(")"));
        }
        tokens.expectSymbol(")");
        while (!tokens.atEnd() && !tokens.atSymbol(";")) {
            if (flavour == Flavour.DORIS) {
                dorisClause();
            } else {
                mysqlOption();
            }
        }
        return KeyRules.checked(name, flavour, this::definition, columns, keyNames, model);
    }

    private TableDefinition definition(List<DeclaredColumn> checked, List<Integer> keys, TableModel finalModel) {
        return new TableDefinition(
                name,
                flavour,
                finalModel,
                checked,
                keys,
                indexes,
                comment,
                partitioning,
                KeyRules.ordinals(checked, bucketNames, "DISTRIBUTED BY"),
                randomDistribution,
                buckets,
                KeyRules.ordinals(checked, clusterNames, "CLUSTER BY"),
                properties);
    }

    private void element() {
        if (tokens.at("CONSTRAINT") || tokens.at("PRIMARY") || tokens.at("FOREIGN") || tokens.at("CHECK")) {
            constraint();
        } else if (tokens.atIndexElement()) {
            add(new IndexReader(tokens).read(""));
        } else {
            ColumnReader reader = new ColumnReader(tokens, flavour);
            DeclaredColumn column = reader.read();
            if (columns.size() == MAX_COLUMNS) {
                throw new StatementRefusedException(1117, "42000", "Too many columns");
            }
            columns.add(column);
            if (reader.primary()) {
                primaryKey(List.of(column.name()));
            }
            if (reader.unique()) {
                add(TableIndex.unique(column.name()));
            }
        }
    }

    private void add(TableIndex index) {
        if (indexes.size() == MAX_INDEXES) {
            throw new StatementRefusedException(1069, "42000", "Too many keys specified");
        }
        indexes.add(index.namedBeside(indexes));
    }

    private void constraint() {
        String constraint = tokens.constraintName();
        if (tokens.accept("PRIMARY")) {
            tokens.expect("KEY");
            primaryKey(new IndexReader(tokens).readPrimary());
        } else if (tokens.at("FOREIGN")) {
            throw StatementRefusedException.unsupported("FOREIGN KEY");
        } else if (tokens.at("CHECK")) {
            throw StatementRefusedException.unsupported("CHECK constraints");
        } else if (tokens.at("UNIQUE")) {
            add(new IndexReader(tokens).read(constraint));
        } else {
            throw tokens.error("PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK");
        }
    }

    private void primaryKey(List<String> names) {
        if (keyNames != null) {
            throw new StatementRefusedException(1068, "42000", "Multiple primary key defined");
        }
        keyNames = names;
        model = TableModel.UNIQUE;
    }

    private void dorisClause() {
        if (tokens.accept("ENGINE")) {
            tokens.acceptSymbol("=");
            String engine = tokens.nameOrString("an engine");
            if (!engine.equalsIgnoreCase("olap")) {
                throw StatementRefusedException.unsupported("ENGINE=" + engine);
            }
        } else if (tokens.accept("UNIQUE")) {
            key(TableModel.UNIQUE);
        } else if (tokens.accept("DUPLICATE")) {
            key(TableModel.DUPLICATE);
        } else if (tokens.accept("AGGREGATE")) {
            key(TableModel.AGGREGATE);
        } else if (tokens.accept("PRIMARY")) {
            key(TableModel.UNIQUE);
        } else if (tokens.accept("CLUSTER")) {
            tokens.expect("BY");
            clusterNames = tokens.names();
        } else if (tokens.accept("ORDER")) {
            tokens.expect("BY");
            clusterNames = tokens.names();
        } else if (tokens.accept("COMMENT")) {
            tokens.acceptSymbol("=");
            comment = tokens.string("a comment");
        } else if (tokens.at("PARTITION") || tokens.at("AUTO")) {
            partitioning = new PartitionReader(tokens).read();
        } else if (tokens.accept("DISTRIBUTED")) {
            distribution();
        } else if (tokens.accept("PROPERTIES")) {
            tokens.properties(properties, MAX_PROPERTIES);
        } else if (tokens.at("ROLLUP") || tokens.at("BROKER")) {
            throw StatementRefusedException.unsupported(tokens.name("a clause").toUpperCase(Locale.ROOT));
        } else {
            throw tokens.error("a table clause (KEY, COMMENT, PARTITION BY, DISTRIBUTED BY, PROPERTIES)");
        }
    }

    private void key(TableModel declared) {
        tokens.expect("KEY");
        if (keyNames != null) {
            throw new StatementRefusedException(1068, "42000", "Multiple primary key defined");
        }
        model = declared;
        keyNames = tokens.names();
    }

    private void distribution() {
        tokens.expect("BY");
        if (tokens.accept("RANDOM")) {
            randomDistribution = true;
        } else {
            tokens.expect("HASH");
            bucketNames = tokens.names();
        }
        if (tokens.accept("BUCKETS")) {
            buckets = tokens.accept("AUTO") ? "AUTO" : Integer.toString(tokens.integer("a number of buckets", 1 << 20));
        }
    }

    private void mysqlOption() {
        tokens.acceptSymbol(",");
        if (tokens.at("PARTITION")) {
            throw StatementRefusedException.unsupported(
                    "PARTITION BY in a CREATE TABLE without Doris clauses (such as DISTRIBUTED BY)");
        }
        Map<String, String> option = tokens.tableOption();
        option.forEach((key, value) -> {
            if (key.equals("COMMENT")) {
                comment = value;
            } else if (properties.size() < MAX_PROPERTIES) {
                properties.put(key, value);
            }
        });
    }

    /** Refuses column names that occur twice. Their case does not matter. */
    static void refuseDuplicates(List<DeclaredColumn> columns) {
        Set<String> seen = new HashSet<>();
        for (DeclaredColumn column : columns) {
            if (!seen.add(column.name().toLowerCase(Locale.ROOT))) {
                throw new StatementRefusedException(1060, "42S21", "Duplicate column name '" + column.name() + "'");
            }
        }
    }
}
