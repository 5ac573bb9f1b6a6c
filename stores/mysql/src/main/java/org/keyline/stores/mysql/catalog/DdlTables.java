package org.keyline.stores.mysql.catalog;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteReach;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlReader;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.TableDefinition;

/**
 * Tables by the CREATE TABLE that Doris and StarRocks print; an unchanged text is parsed once.
 * Confined to one thread.
 */
final class DdlTables {
    /** These stores compare text byte by byte, and trailing spaces count. */
    private static final String BYTES = "utf8mb4_0900_bin";

    private final DdlReader ddl = new DdlReader(SqlMode.DEFAULT);
    private Map<TableName, Read> known = new HashMap<>();
    private Map<TableName, Read> reading = new HashMap<>();

    /** A text and the table that it defines. */
    private record Read(String text, ListedTable table) {}

    /** Begins a reading and removes the texts that the previous reading did not have. */
    void begin() {
        known = reading;
        reading = new HashMap<>();
    }

    /**
     * Returns the table of a text. One that is not understood has neither columns nor a key, and
     * says why.
     *
     * @param rows for further queries if the text alone is not understood
     */
    ListedTable table(CatalogRows rows, TableName name, String text) throws ReadFailure {
        Read before = known.get(name);
        Read read = before != null && before.text().equals(text) ? before : new Read(text, read(rows, name, text));
        reading.put(name, read);
        return read.table();
    }

    private ListedTable read(CatalogRows rows, TableName name, String text) throws ReadFailure {
        Object parsed = parse(name, text);
        if (parsed instanceof TableDefinition table) {
            // Partitions change by themselves, and properties concern the storage of rows.
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
                            table.model() == TableModel.UNIQUE ? WriteReach.ROWS : WriteReach.TABLE),
                    definition);
        }
        DescribedTable described = described(rows, name, text);
        if (described == null) {
            return keptOut(name, ForwardReason.DEFINITION_UNREAD, "Its definition is not understood: " + parsed);
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
                        rowsOnly ? WriteReach.ROWS : WriteReach.TABLE),
                described.print());
    }

    /** Returns a {@link TableDefinition}, or the error in the text. */
    private Object parse(TableName name, String text) {
        try {
            DdlStatement statement = ddl.read(text, name.schema());
            return statement instanceof DdlStatement.CreateTable create ? create.definition() : "it is no CREATE TABLE";
        } catch (StatementRefusedException notUnderstood) {
            return String.valueOf(notUnderstood.getMessage());
        }
    }

    /**
     * Also returns null if the definition changes meanwhile: the next reading finds another text.
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

    /** Returns what the store prints as a table's CREATE TABLE; fails if it prints none. */
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

    /** Returns a name in backquotes. */
    static String quoted(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    /** Returns a table that is not cached and otherwise unknown. */
    static ListedTable keptOut(TableName name, ForwardReason reason, String because) {
        return keptOut(
                new TableSchema(name, 0, TableModel.NONE, List.of(), List.of(), List.of(), "", Map.of()),
                "",
                reason,
                because);
    }

    /** Returns a copy of the table that is not cached. */
    static ListedTable keptOut(ListedTable table, ForwardReason reason) {
        return keptOut(table.schema(), table.fingerprint(), reason, reason.sentence());
    }

    private static ListedTable keptOut(TableSchema table, String print, ForwardReason reason, String because) {
        Map<String, String> properties = new HashMap<>(table.properties());
        properties.put(TableSchema.KEPT_OUT, reason.name());
        properties.put(TableSchema.KEPT_OUT_BECAUSE, because);
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
                        WriteReach.TABLE),
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
