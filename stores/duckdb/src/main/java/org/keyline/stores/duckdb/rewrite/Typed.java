package org.keyline.stores.duckdb.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;

/**
 * An expression of DuckDB with its type in MySQL.
 *
 * @param nullable whether the expression can be NULL
 * @param origin the table column if the expression is only a column; null if it is not
 * @param row the values of {@code (a, b)}; empty for a single value
 * @param bytes an upper bound of the byte length of a text that a function builds; null for others
 */
record Typed(
        Sql sql,
        SqlType type,
        boolean nullable,
        OutputColumn.@Nullable Origin origin,
        List<Typed> row,
        @Nullable Sql bytes) {

    Typed(Sql sql, SqlType type, boolean nullable, OutputColumn.@Nullable Origin origin) {
        this(sql, type, nullable, origin, List.of(), null);
    }

    static Typed of(Sql sql, SqlType type) {
        return new Typed(sql, type, true, null);
    }

    static Typed of(Sql sql, SqlType type, boolean nullable) {
        return new Typed(sql, type, nullable, null);
    }

    static Typed bool(Sql sql) {
        return of(sql, SqlType.BOOLEAN);
    }

    static Typed rowOf(List<Typed> values) {
        return new Typed(Sql.raw(""), SqlType.of(SqlType.Family.ROW), false, null, values, null);
    }

    /** Returns DuckDB's text. Throws error 1241 if this is a row. */
    @Override
    public Sql sql() {
        if (!row.isEmpty()) {
            throw Rewriting.operands(1);
        }
        return sql;
    }

    SqlType.Family family() {
        return type.family();
    }

    /** Returns the parameter if this expression is only a parameter; otherwise null. */
    @Nullable
    Parameter parameter() {
        return sql instanceof Sql.Value value ? value.parameter() : null;
    }

    boolean isParameter() {
        return sql instanceof Sql.Value;
    }

    static Typed computed(Sql sql) {
        return of(Sql.Computed.ofDouble(sql), SqlType.DOUBLE);
    }

    /** Returns this number with all digits that were computed, for further arithmetic. */
    Typed open() {
        return sql instanceof Sql.Computed computed ? of(computed.open(), type, nullable) : this;
    }

    /** Returns the number of decimals with which this number was computed. */
    int scale() {
        return sql instanceof Sql.Computed computed ? computed.scale() : type.scale();
    }

    Typed beside(SqlType number, Conversion conversion) {
        return with(SqlType.DOUBLE, parameterOf().beside(number, conversion));
    }

    Typed converted(Conversion conversion, SqlType other) {
        return with(other, parameterOf().with(conversion));
    }

    private Parameter parameterOf() {
        if (!(sql instanceof Sql.Value value)) {
            throw StatementRefusedException.unsupported("such an expression");
        }
        return value.parameter();
    }

    Typed with(SqlType other, Parameter parameter) {
        return sql instanceof Sql.Value value ? new Typed(value.with(parameter), other, nullable, null) : this;
    }
}
