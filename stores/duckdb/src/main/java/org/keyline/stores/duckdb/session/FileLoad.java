package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.load.RecordReader;
import org.keyline.stores.duckdb.reply.Latin1Text;
import org.keyline.stores.duckdb.reply.ReplyMemory;
import org.keyline.stores.duckdb.session.LoadStatement.Cell;
import org.keyline.stores.duckdb.session.LoadStatement.Target;
import org.keyline.stores.duckdb.session.LoadStatement.Use;

/**
 * A LOAD DATA LOCAL INFILE under way: the records of the file become rows of an INSERT, in one transaction. Once something fails, what
 * comes of the file is passed over, for the client sends it to its end. Used by one thread at a time.
 */
final class FileLoad implements AutoCloseable {
    private final LoadStatement load;
    private final DuckDbState session;
    private final RecordReader reader;
    private final LoadedRows rows;
    private final ReplyMemory memory;

    /** Whether the load has a transaction of its own. */
    private final boolean alone;

    private long taken;
    private boolean open = true;
    private List<byte @Nullable []> last = List.of();

    @Nullable
    private StatementRefusedException failure;

    private FileLoad(LoadStatement load, DuckDbState session, LoadedRows rows, boolean alone) {
        this.load = load;
        this.session = session;
        this.reader = new RecordReader(load.format(), load.linesToSkip());
        this.rows = rows;
        this.memory = new ReplyMemory(session.identity().memory());
        this.alone = alone;
    }

    /** Begins a load; what is wrong with the statement is told before the client is asked for its file. */
    static FileLoad of(LoadStatement load, DuckDbState session) throws SQLException {
        session.requireUsableTransaction(true);
        session.tables().write(load.table().name(), TableLocks.Use.WRITES);
        boolean alone = session.autocommit() && !session.inTransaction();
        boolean begins = !session.inTransaction();
        long version = session.services().catalog().version();
        try {
            LoadedRows rows = new LoadedRows(load, session);
            if (begins) {
                session.begin(false);
            }
            session.connection().catalogIs(version);
            return new FileLoad(load, session, rows, alone);
        } catch (SQLException | RuntimeException e) {
            if (begins) {
                session.tables().settled();
            }
            throw e;
        }
    }

    /** The next bytes of the file. */
    void take(byte[] piece) {
        if (failure != null) {
            return;
        }
        try {
            long before = reader.capacity();
            reader.append(piece);
            if (reader.capacity() > before) {
                taken += memory.takeCopies(reader.capacity() - before);
            }
            read();
        } catch (StatementRefusedException e) {
            fail(e);
        } catch (SQLException e) {
            fail(Errors.of(e));
        }
    }

    /** The load ends with this error, when the file has ended. */
    void fail(StatementRefusedException error) {
        if (failure == null) {
            failure = error;
            if (alone || Errors.isConflict(error)) {
                session.rollback();
            } else {
                session.statementFailed(error);
            }
        }
    }

    boolean failed() {
        return failure != null;
    }

    /** The file has ended: commits, and tells what was done. */
    StatementOutcome.Done finish() throws SQLException {
        reader.end();
        take(new byte[0]);
        if (failure == null) {
            try {
                rows.flush();
                if (alone) {
                    session.commit();
                }
            } catch (StatementRefusedException e) {
                fail(e);
            } catch (SQLException e) {
                fail(Errors.of(e));
            }
        }
        open = false;
        if (failure != null) {
            throw failure;
        }
        for (int i = 0; i < load.fields().size(); i++) {
            String variable = load.fields().get(i).variable();
            if (variable != null && rows.records() > 0) {
                session.variables().setUser(variable, i < last.size() ? text(last.get(i)) : null);
            }
        }
        session.inserted(rows.firstId());
        return new StatementOutcome.Done(
                rows.affected(),
                rows.firstId(),
                "Records: " + rows.records() + "  Deleted: " + rows.deleted() + "  Skipped: " + rows.skipped()
                        + "  Warnings: " + session.diagnostics().count());
    }

    private void read() throws SQLException {
        for (RecordReader.Fields record = reader.next(load.fields().size());
                record != null;
                record = reader.next(load.fields().size())) {
            row(record.fields());
            if (record.cut()) {
                rows.doubt(new StatementRefusedException(
                        1262,
                        "01000",
                        "Row " + rows.records()
                                + " was truncated; it contained more data than there were input columns"));
            }
        }
    }

    private void row(List<byte @Nullable []> fields) throws SQLException {
        rows.begin();
        last = fields;
        List<@Nullable Object> values = new ArrayList<>();
        long bytes = 0;
        for (Cell cell : load.cells()) {
            for (Use use : cell.fields()) {
                Object value = use.asColumn() ? columnValue(use.field(), fields) : value(use.field(), fields);
                bytes += value instanceof String text ? text.length() : value instanceof byte[] raw ? raw.length : 0;
                values.add(value);
            }
        }
        rows.add(values, bytes);
    }

    /** The value of a column that SET reads: its field, where that is stored as it is. */
    private @Nullable Object columnValue(int field, List<byte @Nullable []> fields) {
        ColumnSchema column = load.fields().get(field).column();
        if (column == null) {
            throw new IllegalStateException("no column");
        }
        byte[] bytes = field < fields.size() ? fields.get(field) : null;
        boolean fits = bytes == null
                ? field < fields.size() && column.nullable()
                : LoadedColumn.fits(
                        column, String.valueOf(text(bytes)), load.table().flavour());
        if (!fits) {
            throw StatementRefusedException.unsupported("SET that reads the column '" + column.name()
                    + "' where its field is not stored as it is, in row " + rows.records());
        }
        return text(bytes);
    }

    private @Nullable Object value(int field, List<byte @Nullable []> fields) {
        Target target = load.fields().get(field);
        ColumnSchema column = target.column();
        if (column == null) {
            return field < fields.size() ? text(fields.get(field)) : null;
        }
        if (field >= fields.size()) {
            rows.doubt(new StatementRefusedException(
                    1261, "01000", "Row " + rows.records() + " doesn't contain data for all columns"));
            boolean none = column.autoIncrement() || (column.nullable() && column.defaultSql() == null);
            return none ? null : zero(column);
        }
        byte[] bytes = fields.get(field);
        if (bytes == null && !column.nullable() && !column.autoIncrement()) {
            rows.doubt(new StatementRefusedException(
                    1263,
                    "22004",
                    "Column set to default value; NULL supplied to NOT NULL column '" + column.name() + "' at row "
                            + rows.records()));
            return zero(column);
        }
        return switch (column.type().kind()) {
            case BINARY, VARBINARY, BLOB -> bytes;
            default -> text(bytes);
        };
    }

    /** What MySQL stores for nothing; where DuckDB can't, the row is refused. */
    static String zero(ColumnSchema column) {
        return switch (column.type().kind()) {
            case BOOLEAN, TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT, LARGEINT, FLOAT, DOUBLE, DECIMAL, YEAR -> "0";
            case CHAR, VARCHAR, TEXT, BINARY, VARBINARY, BLOB -> "";
            default -> throw Errors.error(1048, "23000", "Column '" + column.name() + "' cannot be null");
        };
    }

    private @Nullable String text(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        Charset charset = load.charset().javaCharset();
        if (charset != null && !charset.equals(UTF_8)) {
            return Latin1Text.decode(bytes, charset);
        }
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw Errors.error(
                    1300, "HY000", "Invalid utf8mb4 character string in row " + rows.records() + " of the file");
        }
    }

    /** Gives up what was not finished. */
    @Override
    public void close() {
        if (open) {
            open = false;
            fail(Errors.interrupted());
        }
        rows.close();
        memory.give(taken);
        taken = 0;
    }
}
