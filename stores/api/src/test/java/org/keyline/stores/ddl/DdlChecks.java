package org.keyline.stores.ddl;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.SqlMode;

/** Invariants of {@link DdlReader} for any text. */
final class DdlChecks {
    /** A table's printed text may grow by quotes and explicit defaults, but no further. */
    private static final int MAX_GROWTH = 64;

    private DdlChecks() {}

    /**
     * Reads any bytes, which gives a statement or a MySQL error; a table is printed and read again.
     */
    static boolean check(byte[] bytes, SqlMode mode) {
        String sql = new String(bytes, UTF_8);
        DdlReader reader = new DdlReader(mode);
        DdlStatement statement;
        try {
            reader.reads(sql);
            statement = reader.read(sql, "d");
        } catch (StatementRefusedException refused) {
            if (refused.code() < 1000 || refused.sqlState().length() != 5) {
                throw new AssertionError(
                        "not an error of MySQL's: " + refused.code() + " " + refused.sqlState(), refused);
            }
            return false;
        }
        if (statement instanceof DdlStatement.CreateTable create) {
            roundTrip(create.definition(), sql);
        }
        return true;
    }

    private static void roundTrip(TableDefinition definition, String sql) {
        String printed = ShowCreateTable.of(definition);
        if (printed.length() > MAX_GROWTH * (sql.length() + MAX_GROWTH)) {
            throw new AssertionError(sql + " is printed with " + printed.length() + " characters");
        }
        TableDefinition again;
        try {
            DdlStatement read = new DdlReader(SqlMode.DEFAULT)
                    .read(printed, definition.name().schema());
            again = ((DdlStatement.CreateTable) read).definition();
        } catch (StatementRefusedException refused) {
            throw new AssertionError(sql + " is printed as\n" + printed + "\nwhich can't be read", refused);
        }
        String printedAgain = ShowCreateTable.of(again);
        if (!printedAgain.equals(printed)) {
            throw new AssertionError(sql + " is printed as\n" + printed + "\nwhich is printed as\n" + printedAgain);
        }
        if (!columns(again).equals(columns(definition)) || !again.keyColumns().equals(definition.keyColumns())) {
            throw new AssertionError(sql + " is printed as\n" + printed + "\nwhose columns or keys are others");
        }
    }

    /** Returns the columns; a missing default equals DEFAULT NULL, and 3 equals '3'. */
    private static List<DeclaredColumn> columns(TableDefinition definition) {
        return definition.columns().stream()
                .map(column -> {
                    ColumnSchema schema = column.schema();
                    String value = schema.defaultSql();
                    value = value == null || value.equals("NULL") ? null : value.replaceAll("^'(.*)'$", "$1");
                    return new DeclaredColumn(
                            new ColumnSchema(
                                    schema.name(),
                                    schema.type(),
                                    schema.nullable(),
                                    value,
                                    schema.autoIncrement(),
                                    schema.comment()),
                            column.type(),
                            column.aggregation(),
                            column.onUpdate());
                })
                .toList();
    }
}
