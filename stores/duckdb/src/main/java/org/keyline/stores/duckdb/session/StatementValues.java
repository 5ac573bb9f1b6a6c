package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.meta.StoredTable;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SessionValues;

/** Supplies the session's values to one statement, and generates its AUTO_INCREMENT values. */
final class StatementValues implements SessionValues {
    private final DuckDbState session;
    private final @Nullable TableDefinition target;

    private final int ordinal;
    private long firstId;

    /** The number of rows if the statement inserts a query's rows; -1 for other statements. */
    private long rows = -1;

    /**
     * @param ordinal the ordinal of the target's AUTO_INCREMENT column; -1 if the target has none
     */
    StatementValues(DuckDbState session, @Nullable TableDefinition target, int ordinal) {
        this.session = session;
        this.target = target;
        this.ordinal = ordinal;
    }

    /** Returns the value for LAST_INSERT_ID() and the OK packet; 0 if no value was generated. */
    long firstId() {
        return firstId;
    }

    @Override
    public @Nullable Object value(Parameter.Source source, String name) {
        return session.value(source, name);
    }

    @Override
    public long getLock(@Nullable Object name, double seconds) {
        return session.await(() -> locks().take(UserLocks.key(name), session), seconds) ? 1 : 0;
    }

    @Override
    public @Nullable Long releaseLock(@Nullable Object name) {
        return locks().release(UserLocks.key(name), session);
    }

    private UserLocks locks() {
        return session.services().userLocks();
    }

    @Override
    public boolean zeroIsAValue() {
        return session.variables().hasMode("NO_AUTO_VALUE_ON_ZERO");
    }

    @Override
    public long nextAutoIncrement() {
        if (rows >= 0 && firstId != 0) {
            // The parameter of the first value can occur several times in the steps.
            return firstId;
        }
        long id = session.services().autoIncrements().next(table(), Math.max(rows, 1), this::highest);
        firstId = firstId == 0 ? id : firstId;
        return id;
    }

    /** Sets the number of rows of an inserted query, whose values are generated together. */
    void rows(long count) {
        rows = count;
    }

    /**
     * Records the table's highest value after the rows of a query were inserted, because these rows
     * can have explicit values.
     */
    void stored() {
        autoIncrementUsed(highest());
    }

    /**
     * Returns whether a stored row has the first generated value. An upsert can have changed an
     * older row instead.
     */
    boolean isStored() {
        TableDefinition definition = requireTarget();
        String sql = "SELECT count(*) FROM " + DuckDdl.name(definition) + " WHERE "
                + DuckDdl.quoted(definition.columns().get(ordinal).name()) + " = ?";
        try {
            return session.connection().number(sql, List.of(firstId)) > 0;
        } catch (SQLException e) {
            throw Errors.of(e);
        }
    }

    @Override
    public void autoIncrementUsed(long value) {
        session.services().autoIncrements().used(table(), value, this::highest);
    }

    private long table() {
        StoredTable stored = session.services().catalog().stored(requireTarget().name());
        return stored == null ? 0 : stored.id();
    }

    private TableDefinition requireTarget() {
        TableDefinition definition = target;
        if (definition == null || ordinal < 0) {
            throw new IllegalStateException("no AUTO_INCREMENT column in the target");
        }
        return definition;
    }

    private long highest() {
        TableDefinition definition = requireTarget();
        String column = definition.columns().get(ordinal).name();
        try {
            String sql = "SELECT max(" + DuckDdl.quoted(column) + ") FROM " + DuckDdl.name(definition);
            long declared = Long.parseLong(definition.properties().getOrDefault("AUTO_INCREMENT", "1")) - 1;
            return Math.max(declared, session.connection().number(sql, List.of()));
        } catch (SQLException e) {
            throw Errors.of(e);
        }
    }
}
