package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.load.FileFormat;
import org.keyline.stores.duckdb.translate.Tokens;

/** Reads a LOAD DATA statement, from the token after these two words on. Used once. */
final class LoadReader {
    private final Tokens words;
    private final DuckDbState session;

    /**
     * A LOAD DATA LOCAL INFILE. Immutable.
     *
     * @param file the client's name of the file
     * @param verb the statement that inserts the records: INSERT or INSERT IGNORE
     * @param linesToSkip the number of lines to skip at the beginning of the file
     * @param columns the columns that store the fields of a record, in order
     */
    record Load(
            String file,
            String verb,
            TableName table,
            FileFormat format,
            long linesToSkip,
            List<ColumnSchema> columns) {

        Load {
            columns = List.copyOf(columns);
        }

        /**
         * Returns whether records with too many or too few fields cause warnings instead of errors.
         * With IGNORE they do, as in MySQL.
         */
        boolean isLenient() {
            return verb.equals("INSERT IGNORE");
        }
    }

    LoadReader(Tokens words, DuckDbState session) {
        this.words = words;
        this.session = session;
    }

    Load read() {
        if (!words.take("LOW_PRIORITY")) {
            words.take("CONCURRENT");
        }
        boolean local = words.take("LOCAL");
        words.expect("INFILE");
        String file = words.string();
        requireAllowed(local);
        if (words.is("REPLACE")) {
            throw StatementRefusedException.unsupported("REPLACE of LOAD DATA");
        }
        boolean ignore = words.take("IGNORE");
        words.expect("INTO");
        words.expect("TABLE");
        TableDefinition table = table();
        if (words.is("PARTITION") || words.is("PARTITIONS")) {
            throw StatementRefusedException.unsupported("LOAD DATA into named partitions");
        }
        charset();
        FileFormat format = format();
        long linesToSkip = 0;
        if (words.take("IGNORE")) {
            linesToSkip = words.number();
            if (!words.take("LINES")) {
                words.expect("ROWS");
            }
        }
        List<ColumnSchema> columns = columns(table);
        if (words.is("SET") || words.is("PROPERTIES")) {
            throw StatementRefusedException.unsupported(
                    words.token().text().toUpperCase(Locale.ROOT) + " of LOAD DATA");
        }
        words.expectEnd();
        // In MySQL, LOCAL implies IGNORE, because the server cannot stop the client's file at a bad
        // row.
        boolean ignores = ignore || table.flavour() == Flavour.MYSQL;
        return new Load(file, ignores ? "INSERT IGNORE" : "INSERT", table.name(), format, linesToSkip, columns);
    }

    private void requireAllowed(boolean local) {
        if (!local) {
            throw Errors.error(
                    1290,
                    "HY000",
                    "This store reads no files of the server's machine, so it cannot execute this statement; LOAD DATA"
                            + " LOCAL reads a file of the client's");
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
        TableDefinition definition = session.services().catalog().require(name).definition();
        if (definition == null) {
            throw Errors.error(1288, "HY000", "The target table " + name.table() + " of the LOAD is not updatable");
        }
        return definition;
    }

    private void charset() {
        if (words.takeAll("CHARACTER", "SET") || words.take("CHARSET")) {
            String name = words.nameOrString().toLowerCase(Locale.ROOT);
            Collation collation = Collation.defaultOf(name);
            if (collation == null) {
                throw Errors.error(1115, "42000", "Unknown character set: '" + name + "'");
            }
            if (!SetVariables.STORED.contains(collation.charset())) {
                throw StatementRefusedException.unsupported("LOAD DATA of files in " + name);
            }
        }
    }

    private FileFormat format() {
        String fieldEnd = FileFormat.DEFAULT.fieldEnd();
        String enclosed = FileFormat.DEFAULT.enclosed();
        String escape = FileFormat.DEFAULT.escape();
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
            lineEnd = words.takeAll("TERMINATED", "BY") ? words.string() : lineEnd;
            if (words.is("STARTING")) {
                throw StatementRefusedException.unsupported("LINES STARTING BY of LOAD DATA");
            }
            requireOption(from);
        }
        return new FileFormat(fieldEnd, enclosed, escape, lineEnd);
    }

    private void requireOption(int from) {
        if (words.index() == from) {
            throw words.error("a word");
        }
    }

    private List<ColumnSchema> columns(TableDefinition table) {
        if (!words.takeSymbol("(")) {
            return table.columns().stream().map(DeclaredColumn::schema).toList();
        }
        List<ColumnSchema> columns = new ArrayList<>();
        do {
            if (words.token().type() == TokenType.USER_VARIABLE) {
                throw StatementRefusedException.unsupported("variables in the list of LOAD DATA");
            }
            String name = words.name();
            int ordinal = table.ordinal(name);
            if (ordinal < 0) {
                throw Errors.error(1054, "42S22", "Unknown column '" + name + "' in 'field list'");
            }
            ColumnSchema column = table.columns().get(ordinal).schema();
            if (columns.contains(column)) {
                throw Errors.error(1110, "42000", "Column '" + name + "' specified twice");
            }
            columns.add(column);
        } while (words.takeSymbol(","));
        words.expectSymbol(")");
        return columns;
    }
}
