package org.keyline.planner.calcite.duckdb;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlWriterConfig;
import org.apache.calcite.sql.pretty.SqlPrettyWriter;
import org.keyline.planner.translate.Parameter;
import org.keyline.planner.translate.Step;

/** Prints a tree as DuckDB's text. */
final class StepPrinter {

    private static final SqlWriterConfig CONFIG = SqlPrettyWriter.config()
            .withDialect(DuckDialect.INSTANCE)
            .withQuoteAllIdentifiers(true)
            .withAlwaysUseParentheses(false)
            .withSelectListItemsOnSeparateLines(false)
            .withClauseStartsLine(false)
            .withIndentation(0);

    private StepPrinter() {}

    static Step step(SqlNode node, Step.Role role) {
        Writer writer = new Writer();
        node.unparse(writer, 0, 0);
        return new Step(writer.toSqlString().getSql(), writer.parameters, role);
    }

    /** Collects parameters in the order of the text. */
    static final class Writer extends SqlPrettyWriter {

        private final List<Parameter> parameters = new ArrayList<>();

        Writer() {
            super(CONFIG);
        }

        void parameter(Parameter parameter) {
            parameters.add(parameter);
            print("?");
        }
    }
}
