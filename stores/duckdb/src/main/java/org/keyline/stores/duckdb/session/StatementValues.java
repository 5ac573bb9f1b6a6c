package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.meta.StoredTable;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SessionValues;

/** Values of one statement; remembers the first AUTO_INCREMENT value it gave out. */
final class StatementValues implements SessionValues {
    private final DuckDbState session;
    private final @Nullable TableDefinition target;

    private final int ordinal;
    private long firstId;

    /** @param ordinal of the AUTO_INCREMENT column of the target; -1 where it has none */
    StatementValues(DuckDbState session, @Nullable TableDefinition target, int ordinal) {
        this.session = session;
        this.target = target;
        this.ordinal = ordinal;
    }

    /** What LAST_INSERT_ID() and the OK packet say; 0 where none was given out. */
    long firstId() {
        return firstId;
    }

    @Override
    public @Nullable Object value(Parameter.Source source, String name) {
        return session.value(source, name);
    }

    @Override
    public boolean strict() {
        return session.variables().get("sql_mode").toUpperCase(Locale.ROOT).contains("STRICT_")
                && session.variables().isOn("enable_insert_strict");
    }

    @Override
    public boolean zeroIsAValue() {
        return session.variables().get("sql_mode").toUpperCase(Locale.ROOT).contains("NO_AUTO_VALUE_ON_ZERO");
    }

    @Override
    public void warn(StatementRefusedException warning) {
        session.diagnostics().warning(warning);
    }

    @Override
    public long nextAutoIncrement() {
        long id = session.services().autoIncrements().next(table(), this::highest);
        firstId = firstId == 0 ? id : firstId;
        return id;
    }

    @Override
    public void autoIncrementUsed(long value) {
        session.services().autoIncrements().used(table(), value, this::highest);
    }

    private String table() {
        TableDefinition definition = requireTarget();
        StoredTable stored = session.services().catalog().stored(definition.name());
        return definition.name() + "#" + (stored == null ? 0 : stored.id());
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
            String sql = "SELECT max(\"" + column.replace("\"", "\"\"") + "\") FROM \""
                    + definition.name().schema().replace("\"", "\"\"") + "\".\""
                    + definition.name().table().replace("\"", "\"\"") + '"';
            String highest = session.connection().texts(sql, List.of()).get(0).get(0);
            long declared = Long.parseLong(definition.properties().getOrDefault("AUTO_INCREMENT", "1")) - 1;
            return Math.max(declared, highest == null ? 0 : Long.parseLong(highest));
        } catch (SQLException e) {
            throw Errors.of(e);
        }
    }
}
