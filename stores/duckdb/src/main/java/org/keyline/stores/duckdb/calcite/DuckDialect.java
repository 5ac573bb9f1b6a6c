package org.keyline.stores.duckdb.calcite;

import org.apache.calcite.sql.SqlDialect;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.dialect.DuckDBSqlDialect;
import org.jspecify.annotations.Nullable;

/** Calcite's dialect of DuckDB, with LIMIT, and names quoted as they are. */
final class DuckDialect extends DuckDBSqlDialect {

    static final SqlDialect INSTANCE = new DuckDialect();

    private DuckDialect() {
        super(DEFAULT_CONTEXT.withIdentifierQuoteString("\""));
    }

    @Override
    public void unparseOffsetFetch(SqlWriter writer, @Nullable SqlNode offset, @Nullable SqlNode fetch) {
        unparseFetchUsingLimit(writer, offset, fetch);
    }
}
