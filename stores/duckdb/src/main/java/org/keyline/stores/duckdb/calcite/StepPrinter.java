package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlWriterConfig;
import org.apache.calcite.sql.pretty.SqlPrettyWriter;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Step;

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

    static Step step(Translation translation, SqlNode node, Step.Role role) {
        Writer writer = new Writer(translation.maxText());
        node.unparse(writer, 0, 0);
        return new Step(writer.toSqlString().getSql(), writer.parameters, role);
    }

    /**
     * Collects parameters in the order of the text, and bounds the text: what stands twice in DuckDB's form of an expression doubles it
     * with every level of nesting.
     */
    static final class Writer extends SqlPrettyWriter {

        private final List<Parameter> parameters = new ArrayList<>();
        private long left;
        /** How often DuckDB writes out what is printed now. */
        private long copies = 1;

        Writer(long maxText) {
            super(CONFIG);
            left = maxText;
        }

        void parameter(Parameter parameter) {
            parameters.add(parameter);
            print("?");
        }

        /** From here to {@link #endCopies} DuckDB writes everything out so many times. */
        void beginCopies(int times) {
            copies = Math.min(left, copies * times);
        }

        void endCopies(long before) {
            copies = before;
        }

        long copies() {
            return copies;
        }

        @Override
        public void print(String text) {
            spend(text.length());
            super.print(text);
        }

        @Override
        public void identifier(String name, boolean quoted) {
            spend(name.length());
            super.identifier(name, quoted);
        }

        private void spend(int characters) {
            left -= copies * characters;
            if (left < 0) {
                throw QueryParser.tooDeep();
            }
        }
    }
}
