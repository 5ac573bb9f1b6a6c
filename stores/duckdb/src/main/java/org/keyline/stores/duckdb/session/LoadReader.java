package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.load.FileFormat;
import org.keyline.stores.duckdb.meta.StoredTable;
import org.keyline.stores.duckdb.session.LoadStatement.Cell;
import org.keyline.stores.duckdb.session.LoadStatement.Target;
import org.keyline.stores.duckdb.session.LoadStatement.Use;

/** Reads LOAD DATA, after these two words. Used once. */
final class LoadReader {
    private final Words words;
    private final DuckDbState session;
    private final List<Target> fields = new ArrayList<>();
    private final List<Cell> cells = new ArrayList<>();

    /** Columns that SET has given a value so far. */
    private final Set<String> assigned = new HashSet<>();

    LoadReader(Words words, DuckDbState session) {
        this.words = words;
        this.session = session;
    }

    LoadStatement read() {
        if (!words.take("LOW_PRIORITY")) {
            words.take("CONCURRENT");
        }
        boolean local = words.take("LOCAL");
        words.expect("INFILE");
        String file = words.string();
        requireAllowed(local);
        boolean replace = words.take("REPLACE");
        boolean ignore = !replace && words.take("IGNORE");
        words.expect("INTO");
        words.expect("TABLE");
        TableDefinition table = table();
        if (words.is("PARTITION") || words.is("PARTITIONS")) {
            throw StatementRefusedException.unsupported("LOAD DATA into named partitions");
        }
        Collation charset = charset();
        FileFormat format = format();
        long linesToSkip = 0;
        if (words.take("IGNORE")) {
            linesToSkip = words.number();
            if (!words.take("LINES")) {
                words.expect("ROWS");
            }
        }
        targets(table);
        if (words.take("SET")) {
            assignments(table);
        }
        if (words.is("PROPERTIES")) {
            throw StatementRefusedException.unsupported("PROPERTIES of LOAD DATA");
        }
        words.expectEnd();
        // A file of the client's can't be stopped at its first bad row: of two rows with one key MySQL keeps the first
        // then.
        boolean ignores = ignore || (!replace && table.flavour() == Flavour.MYSQL);
        String verb = replace ? "REPLACE" : ignores ? "INSERT IGNORE" : "INSERT";
        if (ignores) {
            fill(table);
        }
        return new LoadStatement(file, verb, table, charset, format, linesToSkip, fields, cells);
    }

    private void requireAllowed(boolean local) {
        if (!local) {
            throw Errors.error(
                    1290,
                    "HY000",
                    "This store reads no files of the server's machine, so it cannot execute this statement; LOAD DATA LOCAL"
                            + " reads a file of the client's");
        }
        if (!session.variables().isOn("local_infile")
                || !Capabilities.has(session.identity().capabilities(), Capabilities.CLIENT_LOCAL_FILES)) {
            throw Errors.error(
                    3948,
                    "42000",
                    "Loading local data is disabled; this must be enabled on both the client and server sides");
        }
    }

    private TableDefinition table() {
        TableName name = new ShowStatements(words, session).name();
        StoredTable stored = session.services().catalog().stored(name);
        if (stored == null) {
            throw session.services().catalog().relation(name) == null
                    ? Errors.error(1146, "42S02", "Table '" + name + "' doesn't exist")
                    : Errors.error(1288, "HY000", "The target table " + name.table() + " of the LOAD is not updatable");
        }
        return stored.definition();
    }

    private Collation charset() {
        boolean named = words.takeAll("CHARACTER", "SET") || words.take("CHARSET");
        String name = named ? words.nameOrString().toLowerCase(Locale.ROOT) : "utf8mb4";
        Collation collation = Collation.defaultOf(name);
        if (collation == null) {
            throw Errors.error(1115, "42000", "Unknown character set: '" + name + "'");
        }
        return switch (collation.charset()) {
            case "utf8mb4", "utf8mb3", "latin1", "ascii", "binary" -> collation;
            default -> throw StatementRefusedException.unsupported("LOAD DATA of files in " + name);
        };
    }

    private FileFormat format() {
        String fieldEnd = FileFormat.DEFAULT.fieldEnd();
        String enclosed = FileFormat.DEFAULT.enclosed();
        String escape = FileFormat.DEFAULT.escape();
        String lineStart = FileFormat.DEFAULT.lineStart();
        String lineEnd = FileFormat.DEFAULT.lineEnd();
        if (words.take("FIELDS") || words.take("COLUMNS")) {
            int from = words.index();
            while (words.is("TERMINATED") || words.is("OPTIONALLY") || words.is("ENCLOSED") || words.is("ESCAPED")) {
                if (words.takeAll("TERMINATED", "BY")) {
                    fieldEnd = words.string();
                } else if (words.takeAll("ESCAPED", "BY")) {
                    escape = words.string();
                } else {
                    words.take("OPTIONALLY");
                    words.expect("ENCLOSED");
                    words.expect("BY");
                    enclosed = words.string();
                }
            }
            requireOption(from);
        }
        if (words.take("LINES")) {
            int from = words.index();
            while (words.is("TERMINATED") || words.is("STARTING")) {
                if (words.takeAll("TERMINATED", "BY")) {
                    lineEnd = words.string();
                } else {
                    words.expect("STARTING");
                    words.expect("BY");
                    lineStart = words.string();
                }
            }
            requireOption(from);
        }
        return new FileFormat(fieldEnd, enclosed, escape, lineStart, lineEnd);
    }

    private void requireOption(int from) {
        if (words.index() == from) {
            throw words.error("a word");
        }
    }

    /** The list of columns and variables, else all columns. */
    private void targets(TableDefinition table) {
        if (!words.takeSymbol("(")) {
            table.columns().forEach(column -> column(table, column.name()));
            return;
        }
        do {
            Token token = words.token();
            if (token.type() == TokenType.USER_VARIABLE) {
                words.next();
                fields.add(new Target(null, variable(token)));
            } else {
                column(table, words.name());
            }
        } while (words.takeSymbol(","));
        words.expectSymbol(")");
    }

    private void column(TableDefinition table, String name) {
        int ordinal = require(table, name);
        String spelled = table.columns().get(ordinal).name();
        if (cells.stream().anyMatch(cell -> cell.column().equals(spelled))) {
            throw Errors.error(1110, "42000", "Column '" + name + "' specified twice");
        }
        cells.add(new Cell(spelled, "?", List.of(new Use(fields.size(), false))));
        fields.add(new Target(table.columns().get(ordinal).schema(), null));
    }

    /** Columns that the file does not have, and that have no default: MySQL fills them, with a warning. */
    private void fill(TableDefinition table) {
        for (DeclaredColumn declared : table.columns()) {
            ColumnSchema column = declared.schema();
            boolean given = cells.stream().anyMatch(cell -> cell.column().equals(column.name()));
            if (!given && !column.nullable() && column.defaultSql() == null && !column.autoIncrement()) {
                String zero = SqlText.quoted(FileLoad.zero(column));
                cells.add(new Cell(column.name(), zero, List.of()));
                session.diagnostics()
                        .warning(Errors.error(
                                1364, "HY000", "Field '" + column.name() + "' doesn't have a default value"));
            }
        }
    }

    private static int require(TableDefinition table, String name) {
        int ordinal = table.ordinal(name);
        if (ordinal < 0) {
            throw Errors.error(1054, "42S22", "Unknown column '" + name + "' in 'field list'");
        }
        return ordinal;
    }

    private void assignments(TableDefinition table) {
        do {
            String name = words.name();
            String spelled = table.columns().get(require(table, name)).name();
            words.expectSymbol("=");
            cells.removeIf(cell -> cell.column().equals(spelled));
            cells.add(expression(table, spelled));
            assigned.add(spelled);
        } while (words.takeSymbol(","));
    }

    /** An expression of SET; the variables and columns of the list become question marks. */
    private Cell expression(TableDefinition table, String column) {
        StringBuilder sql = new StringBuilder();
        List<Use> used = new ArrayList<>();
        int depth = 0;
        int end = words.token().start();
        while (!words.atEnd() && !(depth == 0 && (words.token().type() == TokenType.COMMA || words.is("PROPERTIES")))) {
            Token token = words.next();
            sql.append(words.between(end, token.start()));
            end = token.end();
            depth += token.type() == TokenType.LEFT_PARENTHESIS
                    ? 1
                    : token.type() == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            int field = token.type() == TokenType.USER_VARIABLE ? field(variable(token)) : -1;
            if (field >= 0) {
                used.add(new Use(field, false));
                sql.append("?");
            } else if (token.type().isName() && !words.isSymbol("(") && table.ordinal(token.name()) >= 0) {
                boolean qualified = !sql.isEmpty() && sql.charAt(sql.length() - 1) == '.';
                DeclaredColumn read = table.columns().get(table.ordinal(token.name()));
                sql.append(LoadedColumn.sql(read.schema(), qualified || assigned.contains(read.name())));
                used.add(new Use(field(read.schema()), true));
            } else {
                sql.append(token.text());
            }
        }
        return new Cell(column, sql.toString(), used);
    }

    /** The field that is read into a column which SET names. */
    private int field(ColumnSchema column) {
        for (int i = 0; i < fields.size(); i++) {
            if (column.equals(fields.get(i).column())) {
                return i;
            }
        }
        throw StatementRefusedException.unsupported(
                "SET of LOAD DATA that reads the column '" + column.name() + "', which the file does not have");
    }

    private int field(String variable) {
        for (int i = fields.size() - 1; i >= 0; i--) {
            if (variable.equals(fields.get(i).variable())) {
                return i;
            }
        }
        return -1;
    }

    private static String variable(Token token) {
        return token.text().substring(1).toLowerCase(Locale.ROOT);
    }

    /** The INSERT or REPLACE of so many rows that a load comes to. */
    static String insert(String verb, LoadStatement load, int rows) {
        StringBuilder names = new StringBuilder();
        StringBuilder row = new StringBuilder();
        for (Cell cell : load.cells()) {
            names.append(names.isEmpty() ? "" : ", ").append(SqlText.name(cell.column()));
            row.append(row.isEmpty() ? "(" : ", ").append(cell.sql());
        }
        row.append(')');
        return verb + " INTO " + SqlText.name(load.table().name().schema()) + "."
                + SqlText.name(load.table().name().table()) + " (" + names + ") VALUES " + row
                + (", " + row).repeat(rows - 1);
    }
}
