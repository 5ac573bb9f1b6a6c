package org.keyline.planner.calcite.duckdb;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.ddl.DdlReader;
import org.keyline.planner.ddl.DdlStatement;
import org.keyline.planner.ddl.TableDefinition;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.translate.DuckDdl;
import org.keyline.planner.translate.DuckMacros;
import org.keyline.planner.translate.OutputColumn;
import org.keyline.planner.translate.Parameter;
import org.keyline.planner.translate.Relations;
import org.keyline.planner.translate.SessionValues;
import org.keyline.planner.translate.StatementText;
import org.keyline.planner.translate.Step;
import org.keyline.planner.translate.Translated;
import org.keyline.planner.translate.TranslationContext;
import org.keyline.planner.translate.ValueType;
import org.keyline.planner.translate.Values;

/** The smallest store over translated statements: one connection of DuckDB in memory. */
final class DuckStore implements AutoCloseable, Relations, SessionValues {

    static final LocalDateTime NOW = LocalDateTime.of(2024, 2, 29, 12, 34, 56, 789_000_000);

    private final Connection connection;
    private final Map<TableName, Relation> tables = new HashMap<>();
    private final Translator translator = new Translator(this);
    private final DdlReader ddl = new DdlReader(SqlMode.DEFAULT);
    private long nextId;

    DuckStore() throws SQLException {
        connection = DriverManager.getConnection("jdbc:duckdb:");
        duck("CREATE SCHEMA db");
        for (String macro : DuckMacros.statements()) {
            duck(macro);
        }
    }

    /** Rows as text, NULL as "NULL", with the labels; or the count of affected rows. */
    record Answer(List<String> labels, List<List<String>> rows, long affected) {}

    void duck(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    TableDefinition create(String sql) throws SQLException {
        DdlStatement statement = ddl.read(sql, "db");
        TableDefinition definition = ((DdlStatement.CreateTable) statement).definition();
        duck(DuckDdl.createTable(definition));
        tables.put(definition.name(), Relation.of(definition));
        return definition;
    }

    Translated translate(String sql, @Nullable Object... placeholders) {
        return translate(text(sql, placeholders));
    }

    private static StatementText text(String sql, @Nullable Object... placeholders) {
        StatementText text = StatementText.of(sql, SqlMode.DEFAULT);
        List<@Nullable Object> values = new ArrayList<>();
        for (Object value : placeholders) {
            values.add(value);
        }
        return text.bound(values);
    }

    private Translated translate(StatementText text) {
        TranslationContext.Variables variables = (source, name) -> ValueType.STRING;
        return translator.translate(text, new TranslationContext("db", SqlMode.DEFAULT, false, variables));
    }

    Answer run(String sql, @Nullable Object... placeholders) throws SQLException {
        StatementText text = text(sql, placeholders);
        Translated translated = translate(text);
        long extra = 0;
        for (Step step : translated.steps()) {
            List<@Nullable Object> values = Values.of(step, text, this);
            if (step.role() == Step.Role.PREPARATION_IF_NULL && !values.contains(null)) {
                continue;
            }
            try (PreparedStatement statement = connection.prepareStatement(step.sql())) {
                for (int i = 0; i < values.size(); i++) {
                    statement.setObject(i + 1, values.get(i));
                }
                if (translated.kind() == Translated.Kind.SELECT) {
                    return new Answer(
                            translated.columns().stream()
                                    .map(OutputColumn::label)
                                    .toList(),
                            rows(statement, translated.columns()),
                            -1);
                }
                switch (step.role()) {
                    case EXTRA_AFFECTED -> {
                        ResultSet count = statement.executeQuery();
                        count.next();
                        extra += count.getLong(1);
                    }
                    case AFFECTED, RESULT -> extra += statement.executeUpdate();
                    default -> statement.executeUpdate();
                }
            } catch (SQLException e) {
                throw new SQLException(e.getMessage() + "\n  from " + step.sql(), e);
            }
        }
        return new Answer(List.of(), List.of(), extra);
    }

    private static List<List<String>> rows(PreparedStatement statement, List<OutputColumn> columns)
            throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery()) {
            if (result.getMetaData().getColumnCount() != columns.size()) {
                throw new SQLException(
                        "columns: " + result.getMetaData().getColumnCount() + " (expected: " + columns.size() + ")");
            }
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 0; i < columns.size(); i++) {
                    row.add(cell(result, i + 1, columns.get(i).type()));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** A value as MySQL's text protocol has it. */
    private static String cell(ResultSet result, int column, ValueType type) throws SQLException {
        @Nullable Object value = result.getObject(column);
        if (value == null) {
            return "NULL";
        }
        if (value instanceof Boolean truth) {
            return truth ? "1" : "0";
        }
        if (value instanceof Double || value instanceof Float) {
            return Values.text(((Number) value).doubleValue());
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof Timestamp moment) {
            String text = Values.text(moment.toLocalDateTime());
            String whole = text.length() == 19 ? text + ".000000" : text;
            int digits = type.family() == ValueType.Family.DATETIME ? type.scale() : 0;
            return digits == 0 ? whole.substring(0, 19) : whole.substring(0, 20 + digits);
        }
        if (value instanceof java.sql.Blob) {
            byte[] bytes = result.getBytes(column);
            return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
        }
        if (value instanceof java.time.LocalTime time) {
            return time.toString().length() == 5 ? time + ":00" : time.toString();
        }
        return result.getString(column);
    }

    @Override
    public @Nullable Relation relation(TableName name) {
        return tables.get(name);
    }

    @Override
    public long version() {
        return tables.size();
    }

    @Override
    public @Nullable Object value(Parameter.Source source, String name) {
        return switch (source) {
            case NOW, UTC_NOW -> NOW;
            case TIME_ZONE -> "+00:00";
            case DATABASE -> "db";
            case USER, CURRENT_USER -> "root@localhost";
            case VERSION -> "8.4.0";
            case CONNECTION_ID -> 7L;
            case SESSION_VARIABLE, GLOBAL_VARIABLE, USER_VARIABLE -> "value of " + name;
            default -> 0L;
        };
    }

    @Override
    public long nextAutoIncrement() {
        return ++nextId;
    }

    @Override
    public void autoIncrementUsed(long value) {
        nextId = Math.max(nextId, value);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** The error code that a statement is refused with; 0 if it is not. */
    int refusal(String sql) {
        try {
            translate(sql);
            return 0;
        } catch (StatementRefusedException e) {
            return e.code();
        }
    }
}
