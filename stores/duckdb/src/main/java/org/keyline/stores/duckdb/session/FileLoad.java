package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.load.RecordReader;
import org.keyline.stores.duckdb.reply.ReplyMemory;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Translated;

/**
 * A LOAD DATA LOCAL INFILE. It inserts the records of the file in batches, in one transaction.
 */
final class FileLoad {
    private static final int MAX_ROWS = 128;
    private static final int MAX_VALUES = 4_096;
    private static final long MAX_BYTES = 1 << 20;
    private static final Pattern ROW = Pattern.compile(" at row (\\d+)$");

    private final LoadReader.Load load;
    private final DuckDbState session;
    private final ReplyMemory memory;
    private final StatementValues values;
    private final long version;

    /** Whether the load runs in its own transaction, which it commits. */
    private final boolean alone;

    /** The values of the next statement, row by row. */
    private final List<@Nullable Object> batch = new ArrayList<>();

    private long readerBytes;
    private long batchBytes;
    private long records;
    private long affected;
    private long skipped;

    /** Checks the statement, so that its errors come before the client is asked for its file. */
    FileLoad(LoadReader.Load load, DuckDbState session) {
        session.requireUsableTransaction(true);
        this.load = load;
        this.session = session;
        this.memory = new ReplyMemory(session.identity().memory());
        this.alone = session.autocommit() && !session.inTransaction();
        this.version = session.services().catalog().version();
        Translated one = translated(text(1));
        this.values = session.values(one.target(), one.autoIncrement());
    }

    private StatementText text(int rows) {
        String names = String.join(
                ", ", load.columns().stream().map(c -> SqlText.name(c.name())).toList());
        String row = "(?" + ", ?".repeat(load.columns().size() - 1) + ")";
        String sql = load.verb() + " INTO " + SqlText.name(load.table().schema()) + "."
                + SqlText.name(load.table().table()) + " (" + names + ") VALUES " + row
                + (", " + row).repeat(rows - 1);
        return StatementText.of(sql, session.variables().sqlMode());
    }

    /**
     * Returns the translation for text values. It also serves rows with NULLs, which would
     * otherwise need their own translations.
     */
    private Translated translated(StatementText text) {
        StatementText ofTexts = text.bound(Collections.nCopies(text.placeholders(), ""));
        return session.services().translations().of(ofTexts, session.translationContext());
    }

    /**
     * Loads the file, and commits if the load has its own transaction.
     *
     * @param pieces returns the next bytes of the file, or empty at its end
     */
    StatementOutcome.Done run(Supplier<Optional<byte[]>> pieces) throws SQLException {
        LongFunction<Optional<byte[]>> counted = held -> {
            Optional<byte[]> piece = pieces.get();
            memory.give(readerBytes);
            readerBytes = 0;
            readerBytes =
                    memory.takeCopies(held + piece.map(bytes -> bytes.length).orElse(0));
            return piece;
        };
        RecordReader reader = new RecordReader(load.format(), load.linesToSkip(), counted);
        try {
            if (!session.inTransaction()) {
                session.begin(false);
            }
            session.connection().catalogIs(version);
            int width = load.columns().size();
            for (RecordReader.Fields record = reader.next(width); record != null; record = reader.next(width)) {
                row(record);
            }
            flush();
            if (alone) {
                session.commit();
            }
        } catch (SQLException e) {
            throw failed(Errors.of(e));
        } catch (StatementRefusedException e) {
            throw failed(e);
        } finally {
            memory.give(readerBytes + batchBytes);
        }
        session.inserted(values.firstId());
        return new StatementOutcome.Done(
                affected,
                values.firstId(),
                "Records: " + records + "  Deleted: 0  Skipped: " + skipped + "  Warnings: "
                        + session.diagnostics().count());
    }

    private StatementRefusedException failed(StatementRefusedException error) {
        if (alone || Errors.isConflict(error)) {
            session.rollback();
        } else {
            session.statementFailed(error);
        }
        return error;
    }

    private void row(RecordReader.Fields record) throws SQLException {
        records++;
        List<byte @Nullable []> fields = record.fields();
        if (record.cut()) {
            doubt(1262, "was truncated; it contained more data than there were input columns");
        }
        List<@Nullable Object> row = new ArrayList<>();
        for (int i = 0; i < load.columns().size(); i++) {
            ColumnSchema column = load.columns().get(i);
            if (i == fields.size()) {
                doubt(1261, "doesn't contain data for all columns");
            }
            boolean missing = i >= fields.size();
            if (missing && (column.defaultSql() != null || !(column.nullable() || column.autoIncrement()))) {
                throw problem(1261, "doesn't contain data for all columns");
            }
            byte[] bytes = missing ? null : fields.get(i);
            batchBytes += memory.takeCopies(bytes == null ? 0 : bytes.length);
            row.add(
                    switch (column.type().kind()) {
                        case BINARY, VARBINARY, BLOB -> bytes;
                        default -> bytes == null ? null : text(bytes);
                    });
        }
        batch.addAll(row);
        boolean full = batch.size() >= Math.min(MAX_ROWS * row.size(), MAX_VALUES) || batchBytes > MAX_BYTES;
        if (full) {
            flush();
        }
    }

    /**
     * Adds a warning about the current record. Throws an error instead if the load is not lenient.
     */
    private void doubt(int code, String message) {
        if (!load.isLenient()) {
            throw problem(code, message);
        }
        session.diagnostics().add("Warning", problem(code, message));
    }

    private StatementRefusedException problem(int code, String message) {
        return new StatementRefusedException(code, "01000", "Row " + records + " " + message);
    }

    private void flush() throws SQLException {
        int rows = batch.size() / load.columns().size();
        if (rows > 0) {
            StatementText text = text(rows);
            Steps work;
            try {
                work = Steps.of(translated(text), text.bound(batch), values);
            } catch (StatementRefusedException e) {
                throw atRow(e, records - rows);
            }
            session.savepoints().written();
            long changed = work.apply(session.connection());
            affected += load.isLenient() ? changed : rows;
            skipped += load.isLenient() ? rows - changed : 0;
        }
        batch.clear();
        memory.give(batchBytes);
        batchBytes = 0;
    }

    /** Returns the error with the row's number in the file instead of its number in the batch. */
    private static StatementRefusedException atRow(StatementRefusedException error, long before) {
        Matcher row = ROW.matcher(String.valueOf(error.getMessage()));
        return row.find()
                ? new StatementRefusedException(
                        error.code(),
                        error.sqlState(),
                        row.replaceFirst(" at row " + (before + Long.parseLong(row.group(1)))))
                : error;
    }

    private String text(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw Errors.error(1300, "HY000", "Invalid utf8mb4 character string in row " + records + " of the file");
        }
    }
}
