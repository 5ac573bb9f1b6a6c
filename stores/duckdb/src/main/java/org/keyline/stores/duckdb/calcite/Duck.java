package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;

/** Nodes of DuckDB's own: what they print needs no parentheses around it. */
final class Duck {

    private static final SqlParserPos ZERO = SqlParserPos.ZERO;
    /** How often a macro names a parameter, at most; see {@link org.keyline.stores.duckdb.translate.DuckMacros}. */
    private static final int MACRO_COPIES = 8;

    private Duck() {}

    /** {@code name(a, b)}. */
    static SqlNode call(String name, SqlNode... arguments) {
        return call(name, Arrays.asList(arguments));
    }

    static SqlNode call(String name, List<SqlNode> arguments) {
        return new Template(name + "(", ", ", ")").of(arguments);
    }

    /** {@code (a operator b)}. */
    static SqlNode infix(SqlNode left, String operator, SqlNode right) {
        return new Template("(", " " + operator + " ", ")").of(List.of(left, right));
    }

    /** {@code (a operator b operator c)} of an operator whose grouping does not matter. */
    static SqlNode chain(String operator, List<SqlNode> operands) {
        return operands.size() == 1 ? operands.get(0) : new Template("(", " " + operator + " ", ")").of(operands);
    }

    /** {@code (operator a)}. */
    static SqlNode prefix(String operator, SqlNode operand) {
        return new Template("(" + operator + " ", "", ")").of(List.of(operand));
    }

    /** {@code (a operator)}. */
    static SqlNode postfix(SqlNode operand, String operator) {
        return new Template("(", "", " " + operator + ")").of(List.of(operand));
    }

    /** {@code CAST(a AS type)}. */
    static SqlNode cast(SqlNode operand, String type) {
        return new Template("CAST(", "", " AS " + type + ")").of(List.of(operand));
    }

    /** {@code TRY_CAST(a AS type)}. */
    static SqlNode tryCast(SqlNode operand, String type) {
        return new Template("TRY_CAST(", "", " AS " + type + ")").of(List.of(operand));
    }

    /** Words of DuckDB that hold no value of a user's. */
    static SqlNode raw(String words) {
        return new Template(words, "", "").of(List.of());
    }

    static SqlNode number(long value) {
        return raw(Long.toString(value));
    }

    /** A string literal. */
    static SqlNode string(String value) {
        return raw('\'' + value.replace("'", "''") + '\'');
    }

    /** A query in FROM, its columns named anew. */
    static SqlNode derived(SqlNode query, String alias, List<? extends SqlNode> names) {
        SqlNode columns = around("", ", ", "", names.toArray(new SqlNode[0]));
        return around("(", ") AS ", "", query, around("", "(", ")", name(alias), columns));
    }

    /** {@code before a between b after}. */
    static SqlNode around(String before, String between, String after, SqlNode... operands) {
        return new Template(before, between, after).of(Arrays.asList(operands));
    }

    /** {@code "a"."b"}. */
    static SqlIdentifier name(String... parts) {
        return new SqlIdentifier(Arrays.asList(parts), ZERO);
    }

    static SqlNodeList list(List<? extends SqlNode> nodes) {
        return new SqlNodeList(new ArrayList<SqlNode>(nodes), ZERO);
    }

    /** {@code a AS "alias"} of a select list. */
    static SqlNode as(SqlNode operand, String alias) {
        return around("", " AS ", "", operand, name(alias));
    }

    /** Prints its operands between fixed words. */
    private static final class Template extends SqlSpecialOperator {

        private final String before;
        private final String between;
        private final String after;
        /** How often DuckDB writes out an operand of what is printed; roughly. */
        private final int copies;

        Template(String before, String between, String after) {
            super("TEMPLATE", SqlKind.OTHER, 200);
            this.before = before;
            this.between = between;
            this.after = after;
            this.copies = before.startsWith("keyline_") ? MACRO_COPIES : before.startsWith("nullif(") ? 2 : 1;
        }

        SqlNode of(List<SqlNode> operands) {
            return createCall(ZERO, operands);
        }

        @Override
        public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
            if (copies > 1 && writer instanceof StepPrinter.Writer bounded) {
                long outside = bounded.copies();
                bounded.beginCopies(copies);
                print(writer, call);
                bounded.endCopies(outside);
            } else {
                print(writer, call);
            }
        }

        private void print(SqlWriter writer, SqlCall call) {
            if (!before.isEmpty()) {
                writer.print(before);
            }
            boolean first = true;
            for (SqlNode operand : call.getOperandList()) {
                if (!first) {
                    writer.setNeedWhitespace(false);
                    writer.print(between);
                }
                first = false;
                writer.setNeedWhitespace(false);
                operand.unparse(writer, 0, 0);
            }
            writer.setNeedWhitespace(false);
            writer.print(after);
            writer.setNeedWhitespace(false);
        }
    }
}
