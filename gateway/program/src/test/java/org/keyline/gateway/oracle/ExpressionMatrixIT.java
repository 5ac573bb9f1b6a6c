package org.keyline.gateway.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.gateway.oracle.BothServers.Answer;

/**
 * Expressions and comparisons on the embedded store and on MariaDB. The store must give MariaDB's
 * answer, or refuse by name. The files of the test contain the expressions that it must answer.
 */
final class ExpressionMatrixIT {
    private static BothServers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = new BothServers();
        for (String statement : TextLines.of(ExpressionMatrixIT.class, "types.sql")) {
            servers.run(statement);
        }
    }

    @AfterAll
    static void stop() throws Exception {
        servers.close();
    }

    @Test
    void expressions_ofTheTable_answerAsMariaDb() throws Exception {
        List<String> differences = new ArrayList<>();
        for (String line : TextLines.of(ExpressionMatrixIT.class, "expressions.txt")) {
            compare("SELECT " + line, differences);
        }
        assertThat(String.join("", differences)).isEmpty();
    }

    @Test
    void queries_ofTheTable_answerAsMariaDb() throws Exception {
        List<String> differences = new ArrayList<>();
        for (String line : TextLines.of(ExpressionMatrixIT.class, "queries.sql")) {
            compare(line, differences);
        }
        assertThat(String.join("", differences)).isEmpty();
    }

    @Test
    void expressions_thatTheStoreHasNot_areRefusedByName() throws Exception {
        for (String line : TextLines.of(ExpressionMatrixIT.class, "refused.txt")) {
            Answer actual = servers.ofStore("SELECT " + line + " FROM v");
            String function = line.replaceAll("\\(.*", "");
            assertThat(actual.error()).as(line + ": " + actual).isIn(1235, 1305);
            assertThat(actual.message().toUpperCase(Locale.ROOT))
                    .contains(function.equals("DATE_FORMAT") ? "%D" : function);
        }
    }

    /**
     * A date is never equal to a value that is no date. Otherwise the servers differ: MySQL reports
     * an error, MariaDB uses the zero date, and Doris uses NULL.
     */
    @Test
    void comparisons_ofEveryTypeWithEveryLiteral_answerAsMariaDb() throws Exception {
        List<String> differences = new ArrayList<>();
        for (String line : TextLines.of(ExpressionMatrixIT.class, "columns.txt")) {
            String column = line.substring(0, line.indexOf(' '));
            boolean dates = line.endsWith(" equal");
            for (String literal : TextLines.of(ExpressionMatrixIT.class, "literals.txt")) {
                boolean date = literal.startsWith("DATE") || literal.startsWith("TIMESTAMP");
                boolean number = literal.matches("-?[0-9].*|TRUE") && !literal.startsWith("0x");
                if ((date && !dates) || (number && dates)) {
                    // The store refuses dates beside numbers.
                    continue;
                }
                compare("SELECT k FROM v WHERE " + column + " = " + literal + " ORDER BY k", differences);
                if (dates && !date && !literal.contains("2024-") && !literal.equals("NULL")) {
                    continue;
                }
                String list = String.join(
                        ", ",
                        List.of("=", "<>", "<", "<=", ">", ">=", "<=>").stream()
                                .map(operator -> column + " " + operator + " " + literal)
                                .toList());
                compare("SELECT k, " + list + " FROM v ORDER BY k", differences);
                compare("SELECT k FROM v WHERE " + literal + " < " + column + " ORDER BY k", differences);
            }
        }
        assertThat(String.join("", differences)).isEmpty();
    }

    private static void compare(String sql, List<String> differences) throws SQLException {
        Answer expected = servers.ofMariaDb(sql);
        Answer actual = servers.ofStore(sql);
        boolean same = expected.error() == 0
                ? actual.error() == 0
                        && actual.rows().equals(expected.rows())
                        && actual.typesOfValues().equals(expected.typesOfValues())
                : actual.error() != 0;
        if (!same) {
            differences.add(sql + "\n   MariaDB " + shown(expected) + "\n   store   " + shown(actual) + "\n");
        }
    }

    private static String shown(Answer answer) {
        return answer.error() != 0 ? answer.error() + " " + answer.message() : answer.types() + " " + answer.rows();
    }
}
