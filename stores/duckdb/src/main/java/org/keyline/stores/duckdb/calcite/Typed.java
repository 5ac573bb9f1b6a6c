package org.keyline.stores.duckdb.calcite;

import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;

/**
 * An expression of DuckDB with its type in MySQL's eyes.
 *
 * @param nullable whether it may be NULL
 * @param origin of a plain column; else null
 */
record Typed(SqlNode node, SqlType type, boolean nullable, OutputColumn.@Nullable Origin origin) {

    static Typed of(SqlNode node, SqlType type) {
        return new Typed(node, type, true, null);
    }

    static Typed of(SqlNode node, SqlType type, boolean nullable) {
        return new Typed(node, type, nullable, null);
    }

    SqlType.Family family() {
        return type.family();
    }

    /** The parameter that this is, and nothing else; null if it is more. */
    @Nullable
    Parameter parameter() {
        return node instanceof ParameterNode parameter ? parameter.parameter() : null;
    }

    boolean isParameter() {
        return node instanceof ParameterNode;
    }

    /** The same parameter for a comparison with an exact number. */
    Typed beside(SqlType number, Conversion conversion) {
        if (!(node instanceof ParameterNode parameter)) {
            throw new IllegalStateException("not a parameter");
        }
        return new Typed(
                parameter.with(parameter.parameter().beside(number, conversion)), SqlType.DOUBLE, nullable, null);
    }

    /** The same parameter with its value turned into something else. */
    Typed converted(Conversion conversion, SqlType other) {
        if (!(node instanceof ParameterNode parameter)) {
            throw new IllegalStateException("not a parameter");
        }
        return new Typed(parameter.with(parameter.parameter().with(conversion)), other, nullable, null);
    }
}
