package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.meta.StoredTable;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Values;

/** Supplies the session's values to one statement, and generates its AUTO_INCREMENT values. */
final class StatementValues {
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

    /**
     * Returns the values of a step, in the order of its {@code ?}. Throws an error if a value does
     * not fit its column.
     *
     * @param text the statement; its placeholders must have values
     */
    List<@Nullable Object> of(Step step, StatementText text) {
        List<@Nullable Object> values = new ArrayList<>(step.parameters().size());
        for (Parameter parameter : step.parameters()) {
            try {
                values.add(of(parameter, text));
            } catch (StatementRefusedException e) {
                throw inRow(e, parameter.row());
            }
        }
        return values;
    }

    /** Returns the error with this row's number. */
    private static StatementRefusedException inRow(StatementRefusedException error, int row) {
        String message = String.valueOf(error.getMessage());
        return message.endsWith(" at row 1")
                ? Errors.error(error.code(), error.sqlState(), message.substring(0, message.length() - 1) + row)
                : error;
    }

    private @Nullable Object of(Parameter parameter, StatementText text) {
        UserLocks locks = session.services().userLocks();
        return switch (parameter.source()) {
            case SLOT -> Values.of(text.slots().get(parameter.slot()), parameter);
            case AUTO_INCREMENT -> autoIncrement(parameter, text);
            case GET_LOCK -> {
                @Nullable Object name = text.slots().get(parameter.slot()).value();
                Parameter limit = Parameter.slot(Integer.parseInt(parameter.name()), Conversion.DOUBLE);
                double seconds = Values.of(text.slots().get(limit.slot()), limit) instanceof Double given ? given : 0;
                boolean taken = session.await(
                        () -> locks.take(UserLocks.key(name), session), parameter.negated() ? -seconds : seconds);
                yield taken ? 1L : 0L;
            }
            case RELEASE_LOCK ->
                locks.release(UserLocks.key(text.slots().get(parameter.slot()).value()), session);
            default -> Values.converted(session.value(parameter.source(), parameter.name()), parameter);
        };
    }

    private @Nullable Object autoIncrement(Parameter parameter, StatementText text) {
        @Nullable
        Object raw =
                parameter.slot() < 0 ? null : text.slots().get(parameter.slot()).value();
        if (raw == null) {
            return nextAutoIncrement();
        }
        @Nullable Object value = Values.converted(raw, parameter);
        if (value instanceof Long number) {
            if (number == 0 && !session.variables().hasMode("NO_AUTO_VALUE_ON_ZERO")) {
                return nextAutoIncrement();
            }
            autoIncrementUsed(number);
        }
        return value;
    }

    private long nextAutoIncrement() {
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

    private void autoIncrementUsed(long value) {
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
