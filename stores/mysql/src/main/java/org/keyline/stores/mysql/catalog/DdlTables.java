package org.keyline.stores.mysql.catalog;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlReader;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;

/**
 * The tables of Doris or StarRocks, parsed from the store's CREATE TABLE texts. A text is read
 * again when the store lists other columns for its table, and in a periodic round over all tables.
 * Confined to one thread.
 */
final class DdlTables {
    /**
     * Number of readings in which all texts are read again. A round can take more readings than
     * this, because one reading reads at most {@link #MOST_PER_READING} texts.
     */
    private static final int READINGS_PER_ROUND = 24;

    private static final int MOST_PER_READING = 4;

    /** Number of readings that omit the query for columns after the store failed to answer it. */
    private static final int READINGS_WITHOUT_COLUMNS = 12;

    private static final String COLUMNS =
            "SELECT TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_DEFAULT,"
                    + " IS_NULLABLE, DATA_TYPE, COLUMN_TYPE, COLUMN_KEY, EXTRA, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION,"
                    + " NUMERIC_SCALE, DATETIME_PRECISION, COLUMN_SIZE, DECIMAL_DIGITS, COLUMN_COMMENT"
                    + " FROM information_schema.columns WHERE TABLE_SCHEMA IN (";

    private static final int CELLS = 17;

    /** The collation of all text. These stores compare byte by byte, trailing spaces included. */
    private static final String BYTES = "utf8mb4_0900_bin";

    private final DdlReader ddl = new DdlReader(SqlMode.DEFAULT);
    private Map<TableName, Read> known = new HashMap<>();
    private Map<TableName, Read> reading = new HashMap<>();
    private Map<TableName, String> columns = Map.of();
    private Set<TableName> due = Set.of();
    private long readings;
    private int withoutColumns;

    /**
     * @param columns a digest of the columns that the store listed before the text was read; null
     * if the store did not list columns
     * @param at the number of the reading that read the text
     */
    private record Read(@Nullable String columns, String text, ListedTable table, long at) {}

    /**
     * Begins a reading. Forgets the tables that the previous reading did not contain.
     *
     * @return whether the store lists the same columns of all tables and views as before
     */
    boolean begin(CatalogRows rows, Collection<String> schemas) throws ReadFailure {
        known = reading;
        reading = new HashMap<>();
        readings++;
        Map<TableName, String> before = columns;
        columns = schemas.isEmpty() ? Map.of() : columns(rows, schemas);
        int most = Math.min(MOST_PER_READING, 1 + known.size() / READINGS_PER_ROUND);
        due = known.entrySet().stream()
                .sorted(Comparator.comparingLong(table -> table.getValue().at()))
                .limit(most)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        return !columns.isEmpty() && columns.equals(before);
    }

    void forget(Collection<TableName> names) {
        names.forEach(name ->
                reading.computeIfPresent(name, (at, read) -> new Read(null, read.text(), read.table(), read.at())));
    }

    void forget() {
        forget(List.copyOf(reading.keySet()));
    }

    /** Returns a digest of each table's columns; empty if the store does not list columns. */
    private Map<TableName, String> columns(CatalogRows rows, Collection<String> schemas) throws ReadFailure {
        if (withoutColumns > 0) {
            withoutColumns--;
            return Map.of();
        }
        // A backend answers this query. If the backend hangs, the reading fails; the next readings
        // omit the query.
        withoutColumns = READINGS_WITHOUT_COLUMNS;
        Map<TableName, List<String>> listed = new HashMap<>();
        try {
            rows.repeat(schemas.stream().map(SqlText::quoted).collect(Collectors.joining(", ", COLUMNS, ")")), row -> {
                StringBuilder column = new StringBuilder();
                for (int i = 3; i <= CELLS; i++) {
                    String cell = row.text(i);
                    column.append(cell == null ? "-" : cell.length() + ":" + cell);
                }
                listed.computeIfAbsent(new TableName(row.required(1), row.required(2)), first -> new ArrayList<>())
                        .add(column.toString());
            });
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            return Map.of();
        }
        withoutColumns = 0;
        Map<TableName, String> prints = new HashMap<>();
        listed.forEach(
                (name, of) -> prints.put(name, sha256(of.stream().sorted().collect(Collectors.joining("\n")))));
        return prints;
    }

    /**
     * Returns the table. If its definition cannot be understood, the result has only the reason, no
     * columns and no key. Fails if the store refuses to show the definition.
     */
    ListedTable table(CatalogRows rows, TableName name) throws ReadFailure {
        Read before = known.get(name);
        String listed = columns.get(name);
        boolean same = before != null && listed != null && listed.equals(before.columns()) && !due.contains(name);
        Read read = same && before != null ? before : read(rows, name, listed, before);
        reading.put(name, read);
        return read.table();
    }

    private Read read(CatalogRows rows, TableName name, @Nullable String listed, @Nullable Read before)
            throws ReadFailure {
        String text = text(rows, name);
        ListedTable table = before != null && before.text().equals(text) ? before.table() : read(rows, name, text);
        return new Read(listed, text, table, readings);
    }

    private ListedTable read(CatalogRows rows, TableName name, String text) throws ReadFailure {
        Object parsed = parse(name, text);
        if (parsed instanceof TableDefinition table) {
            // The compared text omits partitions, which change by themselves, and properties, which
            // affect only the storage of rows.
            String definition = table.model() + "\n" + table.columns() + "\n" + table.keyColumns()
                    + table.bucketColumns() + table.comment();
            List<ColumnSchema> columns = new ArrayList<>();
            table.columns().forEach(column -> columns.add(column.schema()));
            return listed(
                    new TableSchema(
                            name,
                            0,
                            table.model(),
                            collated(columns),
                            table.keyColumns(),
                            table.bucketColumns(),
                            table.comment(),
                            table.properties(),
                            table.model() == TableModel.UNIQUE ? WriteScope.ROWS : WriteScope.TABLE),
                    definition);
        }
        DescribedTable described = described(rows, name, text);
        if (described == null) {
            return excluded(
                    name,
                    ForwardReason.DEFINITION_UNREAD,
                    "Keyline cannot parse its definition: " + parsed + ". Please report it.");
        }
        boolean rowsOnly = described.model() == TableModel.UNIQUE && !described.derivedKey();
        return listed(
                new TableSchema(
                        name,
                        0,
                        described.model(),
                        collated(described.columns()),
                        described.keyColumns(),
                        List.of(),
                        "",
                        Map.of(),
                        rowsOnly ? WriteScope.ROWS : WriteScope.TABLE),
                described.print());
    }

    /** Returns a {@link TableDefinition}, or a String that says why the text cannot be parsed. */
    private Object parse(TableName name, String text) {
        try {
            DdlStatement statement = ddl.read(text, name.schema());
            return statement instanceof DdlStatement.CreateTable create
                    ? create.definition()
                    : "it is not a CREATE TABLE";
        } catch (StatementRefusedException notUnderstood) {
            return String.valueOf(notUnderstood.getMessage());
        }
    }

    /**
     * Reads the table with DESC. Returns null if the result is not understood, or if the definition
     * has changed since {@code text}. After such a change, the next reading finds another text.
     */
    private @Nullable DescribedTable described(CatalogRows rows, TableName name, String text) throws ReadFailure {
        try {
            DescribedTable described = DescribedTable.read(rows, quoted(name), text, ddl);
            return described != null && text.equals(text(rows, name)) ? described : null;
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            return null;
        }
    }

    /** Returns the store's CREATE TABLE text. Fails if the store prints none. */
    static String text(CatalogRows rows, TableName name) throws ReadFailure {
        List<String> texts = new ArrayList<>();
        rows.query("SHOW CREATE TABLE " + quoted(name), row -> texts.add(row.required(2)));
        if (texts.size() != 1) {
            throw new ReadFailure("SHOW CREATE TABLE has " + texts.size() + " rows");
        }
        return texts.get(0);
    }

    private static String quoted(TableName name) {
        return quoted(name.schema()) + "." + quoted(name.table());
    }

    static String quoted(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    static ListedTable excluded(TableName name, ForwardReason reason, String because) {
        return excluded(
                new TableSchema(name, 0, TableModel.NONE, List.of(), List.of(), List.of(), "", Map.of()),
                "",
                reason,
                because);
    }

    static ListedTable excluded(ListedTable table, ForwardReason reason) {
        return excluded(table.schema(), table.fingerprint(), reason, reason.sentence());
    }

    private static ListedTable excluded(TableSchema table, String print, ForwardReason reason, String because) {
        Map<String, String> properties = new HashMap<>(table.properties());
        properties.put(TableSchema.EXCLUDED, reason.name());
        properties.put(TableSchema.EXCLUDED_BECAUSE, because);
        return listed(
                new TableSchema(
                        table.name(),
                        0,
                        TableModel.NONE,
                        table.columns(),
                        table.keyColumns(),
                        table.bucketColumns(),
                        table.comment(),
                        properties,
                        WriteScope.TABLE),
                print + "\n" + reason);
    }

    private static ListedTable listed(TableSchema table, String definition) {
        return new ListedTable(table, sha256(definition));
    }

    private static List<ColumnSchema> collated(List<ColumnSchema> columns) {
        return columns.stream().map(DdlTables::collated).toList();
    }

    private static ColumnSchema collated(ColumnSchema column) {
        ColumnType type = column.type();
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT ->
                new ColumnSchema(
                        column.name(),
                        new ColumnType(type.kind(), false, type.length(), 0, BYTES),
                        column.nullable(),
                        column.defaultSql(),
                        column.autoIncrement(),
                        column.comment());
            default -> column;
        };
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
