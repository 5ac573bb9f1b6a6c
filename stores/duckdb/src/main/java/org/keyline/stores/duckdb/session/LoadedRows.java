package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Steps;
import org.keyline.stores.duckdb.engine.Upsert;
import org.keyline.stores.duckdb.engine.Work;
import org.keyline.stores.duckdb.reply.ReplyMemory;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SessionValues;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.Values;

/**
 * Rows of a load on their way into their table. Each is what an INSERT of that row alone would write; those that meet a row of the table
 * in one way only are written many at a time. Used by one thread at a time.
 */
final class LoadedRows implements AutoCloseable {
    private static final int MAX_UPSERTS = 1024;
    private static final long MAX_BYTES = 1 << 20;

    private final LoadStatement load;
    private final DuckDbState session;
    private final StatementText text;
    private final Translated one;
    private final StatementValues sessionValues;
    private final SessionValues values = new RowValues();
    private final ReplyMemory memory;
    private final @Nullable BulkRows bulk;

    /** Whether a row may be left out, so that each is written alone: its warning names it. */
    private final boolean skips;

    private final List<List<@Nullable Object>> upserts = new ArrayList<>();
    private final List<Steps> inserts = new ArrayList<>();
    private @Nullable Upsert form;
    private long taken;
    private int records;
    private long affected;
    private long skipped;
    private long deleted;

    LoadedRows(LoadStatement load, DuckDbState session) {
        this.load = load;
        this.session = session;
        this.text = StatementText.of(
                LoadReader.insert(load.verb(), load, 1), session.variables().sqlMode());
        this.one = session.services().translations().of(ofTexts(text), session.translationContext());
        this.sessionValues = session.values(one.target(), one.autoIncrement());
        this.memory = new ReplyMemory(session.identity().memory());
        boolean keyed = !load.table().keyColumns().isEmpty()
                || load.table().indexes().stream().anyMatch(index -> index.unique());
        this.skips = load.isLenient() && keyed;
        this.bulk = BulkRows.of(load, one, session);
    }

    /** A statement whose fields are text; a NULL among them changes nothing in how it is translated. */
    static StatementText ofTexts(StatementText statement) {
        return statement.bound(Collections.nCopies(statement.placeholders(), ""));
    }

    /** The next record begins. */
    void begin() {
        records++;
    }

    /** Something about the record is not as it should be: a warning, or an error where the load is strict. */
    void doubt(StatementRefusedException warning) {
        if (values.strict()) {
            throw warning;
        }
        session.diagnostics().warning(warning);
    }

    /**
     * The record's row.
     *
     * @param fields in the order of the question marks of one row
     * @param bytes that they have, about
     */
    void add(List<@Nullable Object> fields, long bytes) throws SQLException {
        taken += memory.takeCopies(bytes);
        Work work;
        try {
            work = StatementRunner.work(one, text.bound(fields), values);
        } catch (StatementRefusedException e) {
            throw atRow(e);
        }
        if (work instanceof Upsert upsert) {
            form = upsert;
            upserts.addAll(upsert.rows());
        } else if (bulk != null && work instanceof Steps steps) {
            inserts.add(steps);
        } else {
            flush();
            count(work);
        }
        if (upserts.size() == MAX_UPSERTS || inserts.size() == BulkRows.MANY || taken > MAX_BYTES) {
            flush();
        }
    }

    private void count(Work work) throws SQLException {
        long changed = work.apply(connection());
        affected += changed;
        if (changed == 0 && skips) {
            skipped++;
            session.diagnostics().warning(new StatementRefusedException(1062, "23000", "Duplicate entry " + key(work)));
        } else {
            deleted += Math.max(0, changed - 1);
        }
    }

    /** The key of a row that was left out, as MySQL writes it; where it was computed, the row. */
    private String key(Work work) {
        List<Parameter> parameters = one.result().parameters();
        List<@Nullable Object> bound = work instanceof Steps steps ? values(steps) : List.of();
        List<String> parts = new ArrayList<>();
        for (int ordinal : load.table().keyColumns()) {
            DeclaredColumn column = load.table().columns().get(ordinal);
            for (int i = 0; i < bound.size(); i++) {
                if (column.schema().equals(parameters.get(i).column())) {
                    Object value = bound.get(i);
                    parts.add(value == null ? "NULL" : Values.text(value));
                }
            }
        }
        return parts.size() == load.table().keyColumns().size()
                ? "'" + String.join("-", parts) + "' for key 'PRIMARY'"
                : "for key 'PRIMARY' at row " + records;
    }

    /** Writes what waits. */
    void flush() throws SQLException {
        Upsert upsert = form;
        if (upsert != null && !upserts.isEmpty()) {
            affected += new Upsert(upsert.table(), upsert.columns(), upsert.keys(), upserts).apply(connection());
            upserts.clear();
        }
        if (bulk != null && !inserts.isEmpty()) {
            insert(bulk);
            inserts.clear();
        }
        free();
    }

    private void insert(BulkRows many) throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        inserts.forEach(steps -> rows.add(values(steps)));
        BulkRows.Written written = many.write(rows, connection());
        if (written == null) {
            for (Steps steps : inserts) {
                count(steps);
            }
        } else {
            affected += written.inserted() + written.replaced();
            deleted += written.replaced();
        }
    }

    private static List<@Nullable Object> values(Steps steps) {
        return steps.steps().get(steps.steps().size() - 1).values();
    }

    private EngineConnection connection() throws SQLException {
        session.savepoints().written();
        return session.connection();
    }

    private void free() {
        memory.give(taken);
        taken = 0;
    }

    private StatementRefusedException atRow(StatementRefusedException told) {
        String message = String.valueOf(told.getMessage());
        return message.endsWith(" at row 1")
                ? new StatementRefusedException(
                        told.code(), told.sqlState(), message.substring(0, message.length() - 1) + records)
                : told;
    }

    /** Records so far. */
    int records() {
        return records;
    }

    long affected() {
        return affected;
    }

    /** Records whose key the table had already, which were left out. */
    long skipped() {
        return skipped;
    }

    /** Rows that records have replaced. */
    long deleted() {
        return deleted;
    }

    long firstId() {
        return sessionValues.firstId();
    }

    @Override
    public void close() {
        free();
    }

    /** What the session answers for one row of the load. */
    private final class RowValues implements SessionValues {
        @Override
        public @Nullable Object value(Parameter.Source source, String name) {
            return sessionValues.value(source, name);
        }

        @Override
        public boolean strict() {
            return !load.isLenient();
        }

        @Override
        public void warn(StatementRefusedException warning) {
            sessionValues.warn(atRow(warning));
        }

        @Override
        public boolean zeroIsAValue() {
            return sessionValues.zeroIsAValue();
        }

        @Override
        public long nextAutoIncrement() {
            return sessionValues.nextAutoIncrement();
        }

        @Override
        public void autoIncrementUsed(long value) {
            sessionValues.autoIncrementUsed(value);
        }
    }
}
