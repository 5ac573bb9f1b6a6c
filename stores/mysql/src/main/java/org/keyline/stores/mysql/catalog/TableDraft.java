package org.keyline.stores.mysql.catalog;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;

/** A table of MySQL or MariaDB, built from several catalog queries. Confined to one reading. */
final class TableDraft {
    /** Engines that store exactly the rows that statements through the store write. */
    private static final Set<String> OWN_ROWS =
            Set.of("innodb", "xtradb", "myisam", "aria", "rocksdb", "tokudb", "memory", "ndbcluster");

    /** Engines without foreign keys, whose rows are on remote servers that might not reply. */
    private static final Set<String> ELSEWHERE = Set.of("spider", "federated", "connect", "sphinx");

    /** Engines that return rows in primary-key order if a read uses no other index. */
    private static final Set<String> CLUSTERED = Set.of("innodb", "xtradb", "rocksdb", "tokudb");

    /** Values of EXTRA for columns that store exactly what a statement assigns. */
    private static final Set<String> PLAIN = Set.of("", "AUTO_INCREMENT", "DEFAULT_GENERATED");

    private static final String PRIMARY = "PRIMARY";

    private final TableName name;
    private final @Nullable String engine;
    private final String comment;
    /** Whether a read that uses no index but the primary key returns rows in key order. */
    private boolean inKeyOrder;

    private final MessageDigest fingerprint = sha256();
    private final List<ColumnSchema> columns = new ArrayList<>();
    private final Map<String, Integer> ordinals = new HashMap<>();
    /** Columns whose values change without an assignment. */
    private final Set<String> derived = new HashSet<>();

    /** Whether each cell is known to have the value that a statement assigns. */
    private boolean statementsDecide;

    /** Columns that the store computes at a read, by names in lower case. */
    private final Map<String, VirtualColumn> virtual = new HashMap<>();
    /** Columns whose values differ between readers, by names in lower case. */
    private final Set<String> readers = new HashSet<>();

    private final List<String> primary = new ArrayList<>();
    private boolean prefixKey;
    private boolean secondUnique;
    /** The columns of each index but the primary key, as in {@link TableSchema#OTHER_INDEXES}. */
    private final Map<String, List<String>> otherIndexes = new LinkedHashMap<>();

    private boolean cascadesToOthers;
    private final List<TriggerText> triggers = new ArrayList<>();
    private final Set<TableName> cascadesFrom = new HashSet<>();

    TableDraft(CatalogRows.Row row) throws ReadFailure {
        name = new TableName(row.required("TABLE_SCHEMA"), row.required("TABLE_NAME"));
        engine = row.text("ENGINE");
        String shown = row.text("TABLE_COMMENT");
        comment = shown == null ? "" : shown;
        statementsDecide = "BASE TABLE".equals(row.text("TABLE_TYPE")) && "InnoDB".equalsIgnoreCase(engine);
        fold(row, "ENGINE", "TABLE_COLLATION", "TABLE_COMMENT", "TABLE_TYPE");
    }

    /** Reads the table's options. Called before its index parts. */
    void options(CatalogRows.Row row) throws ReadFailure {
        fold(row, "CREATE_OPTIONS");
        String options = row.text("CREATE_OPTIONS");
        inKeyOrder = engine != null
                && CLUSTERED.contains(engine.toLowerCase(Locale.ROOT))
                && options != null
                && !options.contains("partitioned");
    }

    TableName name() {
        return name;
    }

    /** Returns whether rows are on other servers. Such a table is neither cached nor opened. */
    boolean isElsewhere() {
        return engine != null && ELSEWHERE.contains(engine.toLowerCase(Locale.ROOT));
    }

    /** Adds a column. Called in the order of the table's columns. */
    void column(CatalogRows.Row row, Dialect dialect) throws ReadFailure {
        fold(
                row,
                "COLUMN_NAME",
                "COLUMN_DEFAULT",
                "IS_NULLABLE",
                "COLUMN_TYPE",
                "COLLATION_NAME",
                "EXTRA",
                "COLUMN_COMMENT",
                "GENERATION_EXPRESSION");
        String column = row.required("COLUMN_NAME");
        String extra = row.required("EXTRA").toUpperCase(Locale.ROOT);
        String expression = row.text("GENERATION_EXPRESSION");
        if ((expression != null && !expression.isEmpty()) || extra.contains("ON UPDATE")) {
            derived.add(column);
        }
        statementsDecide &= PLAIN.contains(extra) && dialect.isKnown();
        ColumnType type = ColumnTypes.of(row, dialect);
        String lower = column.toLowerCase(Locale.ROOT);
        if (extra.contains("VIRTUAL") && expression != null) {
            virtual.put(lower, VirtualColumn.of(expression));
        } else if (type.kind() == ColumnType.Kind.TIMESTAMP) {
            readers.add(lower);
        }
        if (extra.contains("INVISIBLE")) {
            return;
        }
        String shown = row.text("COLUMN_COMMENT");
        ordinals.put(column, columns.size());
        columns.add(new ColumnSchema(
                column,
                type,
                row.required("IS_NULLABLE").equals("YES"),
                ColumnTypes.defaultSql(row, dialect, type),
                extra.contains("AUTO_INCREMENT"),
                shown == null ? "" : shown));
    }

    /**
     * Adds a part of an index. The fingerprint includes all indexes, because the flags of column
     * definitions depend on every index.
     */
    void indexPart(CatalogRows.Row row) throws ReadFailure {
        fold(row, "INDEX_NAME", "NON_UNIQUE", "COLUMN_NAME", "SUB_PART", "COLLATION");
        String index = row.required("INDEX_NAME");
        boolean rising = !"D".equals(row.text("COLLATION"));
        if (index.equals(PRIMARY)) {
            inKeyOrder &= rising;
        } else {
            Integer ordinal = ordinals.get(String.valueOf(row.text("COLUMN_NAME")));
            String how = row.text("SUB_PART") != null ? "*" : rising ? "" : "-";
            otherIndexes.computeIfAbsent(index, at -> new ArrayList<>()).add(ordinal == null ? "?" : ordinal + how);
        }
        if (row.number("NON_UNIQUE") != 0) {
            return;
        }
        if (!index.equals(PRIMARY)) {
            secondUnique = true;
            return;
        }
        String column = row.text("COLUMN_NAME");
        prefixKey |= column == null || row.text("SUB_PART") != null;
        primary.add(column == null ? "" : column);
    }

    /** Adds a trigger. Called in the order of the triggers' names. */
    void trigger(TriggerText trigger) {
        triggers.add(trigger);
    }

    void cascadesToOthers() {
        cascadesToOthers = true;
    }

    /** Records that writes to {@code parent} may change this table. */
    void cascadesFrom(TableName parent) {
        cascadesFrom.add(parent);
    }

    ListedTable listed() {
        boolean own = engine != null && OWN_ROWS.contains(engine.toLowerCase(Locale.ROOT));
        List<Integer> keys = keyOrdinals();
        boolean unique = own && !keys.isEmpty();
        WriteScope reach = cascadesToOthers || !own
                ? WriteScope.ANYWHERE
                : secondUnique || !unique ? WriteScope.TABLE : changesAsAssigned() ? WriteScope.CELLS : WriteScope.ROWS;
        TableSchema schema = new TableSchema(
                name,
                0,
                unique ? TableModel.UNIQUE : TableModel.NONE,
                withComputed(),
                keys,
                List.of(),
                comment,
                properties(),
                reach,
                triggers);
        return new ListedTable(schema, HexFormat.of().formatHex(fingerprint.digest()), cascadesFrom);
    }

    private boolean changesAsAssigned() {
        return statementsDecide && derived.isEmpty() && triggers.isEmpty();
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        if (engine != null) {
            properties.put("ENGINE", engine);
        }
        if (!inKeyOrder) {
            properties.put(TableSchema.OTHER_INDEXES, TableSchema.ANY_ORDER);
        } else if (!otherIndexes.isEmpty()) {
            properties.put(
                    TableSchema.OTHER_INDEXES,
                    otherIndexes.values().stream()
                            .map(parts -> String.join(",", parts))
                            .collect(Collectors.joining(";")));
        }
        if (inKeyOrder) {
            properties.put(TableSchema.IN_KEY_ORDER, "YES");
        }
        if (changesAsAssigned()) {
            properties.put(TableSchema.CHANGES_AS_ASSIGNED, "YES");
        }
        return Map.copyOf(properties);
    }

    /**
     * Returns the columns. Virtual columns that depend on the session are marked as computed. A
     * virtual column that uses a TIMESTAMP depends on the session's time zone.
     */
    private List<ColumnSchema> withComputed() {
        Set<String> computed = new HashSet<>();
        boolean more = true;
        while (more) {
            more = false;
            for (Map.Entry<String, VirtualColumn> column : virtual.entrySet()) {
                VirtualColumn expression = column.getValue();
                boolean own = !expression.pure() || !Collections.disjoint(readers, expression.columns());
                more |= own && computed.add(column.getKey());
            }
            readers.addAll(computed);
        }
        return columns.stream()
                .map(c -> computed.contains(c.name().toLowerCase(Locale.ROOT)) ? c.asComputed() : c)
                .toList();
    }

    /**
     * Returns the ordinals of the primary key's columns. Empty if visible values alone do not
     * identify a row, because the key includes a prefix of a text, an invisible column, or a
     * derived column.
     */
    private List<Integer> keyOrdinals() {
        if (prefixKey) {
            return List.of();
        }
        List<Integer> keys = new ArrayList<>();
        for (String column : primary) {
            Integer ordinal = ordinals.get(column);
            if (ordinal == null || derived.contains(column)) {
                return List.of();
            }
            keys.add(ordinal);
        }
        return keys;
    }

    /** Adds cells to the fingerprint, with their lengths, so that different rows differ in it. */
    private void fold(CatalogRows.Row row, String... cells) throws ReadFailure {
        for (String cell : cells) {
            String text = row.text(cell);
            byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
            int length = text == null ? -1 : bytes.length;
            for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
                fingerprint.update((byte) (length >> shift));
            }
            fingerprint.update(bytes);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
