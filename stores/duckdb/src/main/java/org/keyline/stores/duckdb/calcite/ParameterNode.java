package org.keyline.stores.duckdb.calcite;

import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.DuckLiterals;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.ValueSlot;
import org.keyline.stores.duckdb.translate.Values;

/** A value: a {@code ?} that knows where its value comes from, or the literal itself where DuckDB must see it. */
final class ParameterNode extends SqlDynamicParam {

    private final Parameter parameter;
    private final @Nullable ValueSlot literal;

    ParameterNode(Parameter parameter) {
        this(parameter, null);
    }

    /** @param literal printed as a literal if it is not null */
    ParameterNode(Parameter parameter, @Nullable ValueSlot literal) {
        super(0, SqlParserPos.ZERO);
        this.parameter = parameter;
        this.literal = literal;
    }

    Parameter parameter() {
        return parameter;
    }

    ParameterNode with(Parameter other) {
        return new ParameterNode(other, literal);
    }

    @Override
    public SqlNode clone(SqlParserPos pos) {
        return new ParameterNode(parameter, literal);
    }

    @Override
    public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
        if (literal != null) {
            writer.print(DuckLiterals.text(Values.of(literal, parameter)));
        } else if (writer instanceof StepPrinter.Writer printer) {
            printer.parameter(parameter);
        } else {
            writer.print("?");
        }
    }
}
