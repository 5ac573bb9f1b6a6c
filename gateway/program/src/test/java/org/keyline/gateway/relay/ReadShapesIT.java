package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.StatementArguments;

/**
 * The ways in which frameworks read a row, its existence, and counts: the store's own packets, from
 * lines.
 */
final class ReadShapesIT extends Scenarios {
    /** Reads as BI tools and Connector/J's useCursorFetch send them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM shapes.item WHERE id = ?",
                "SELECT made, 1, name FROM shapes.item WHERE id = ?",
                "SELECT COUNT(*) FROM shapes.part WHERE item = ?",
                "SELECT no, name FROM shapes.part WHERE item = ? ORDER BY no",
                "SELECT name FROM shapes.part WHERE item = ? ORDER BY no LIMIT 2",
            })
    void executionWithACursor_isFetchedAsFromTheStore(String sql) throws Exception {
        for (String options : new String[] {"", "eof=1"}) {
            try (Twins twins = open(options)) {
                Twins.Statement statement = twins.prepare(sql);
                for (int id : new int[] {5, 6, 1, 3}) {
                    for (int rows : new int[] {1, 2, 3, 4}) {
                        soon(sql).untilAsserted(() -> {
                            twins.execute(
                                    statement,
                                    new StatementArguments().addInt64(id).withCursor(),
                                    sql + " of " + id);
                            assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                        });
                        boolean closed = false;
                        for (int i = 0; !closed; i++) {
                            assertThat(i).isLessThan(5);
                            int status = status(twins.fetch(statement, rows));
                            closed = (status & ServerStatus.SERVER_STATUS_LAST_ROW_SENT) != 0;
                        }
                        assertThat(twins.fetchThroughOnly(statement, 1).isError())
                                .isTrue();
                    }
                }
                int there = sql.contains("shapes.item") ? 5 : 1;
                twins.execute(
                        statement, new StatementArguments().addInt64(there).withCursor(), sql);
                twins.execute(statement, new StatementArguments().addInt64(there), sql);
                assertThat(twins.fetchThroughOnly(statement, 1).isError()).isTrue();
                twins.execute(
                        statement, new StatementArguments().addInt64(there).withCursor(), sql);
                twins.query("START TRANSACTION");
                twins.fetch(statement, 1);
                twins.query("SELECT FOUND_ROWS()");
                twins.fetch(statement, 100);
                twins.execute(
                        statement, new StatementArguments().addInt64(there).withCursor(), sql);
                assertThat(twins.readable("KEYLINE LAST")).contains("source store");
                twins.fetch(statement, 1);
                twins.query("ROLLBACK");
            }
        }
    }

    @Test
    void fetchWithoutACursor_hasTheStoresError() throws Exception {
        try (Twins twins = open("")) {
            Twins.Statement statement = twins.prepare("SELECT * FROM shapes.item WHERE id = ?");
            soon("a line").untilAsserted(() -> {
                twins.execute(statement, new StatementArguments().addInt64(5), "without a cursor");
                assertThat(twins.readable("KEYLINE LAST")).contains("source line");
            });
            // The number of the statement is the server's own.
            assertThat(Twins.readable(twins.fetchThroughOnly(statement, 1)))
                    .matches(MariaDb.isMySql() ? ".*has no open cursor\\." : ".*has no open cursor");
        }
    }

    /** They do not include the gateway's own statements. */
    @Test
    void watchedSessions_showTheClientsStatementsOnly() throws Exception {
        assumeThat(MariaDb.isMySql())
                .as("MariaDB shows the last statement that was traced")
                .isFalse();
        try (Twins twins = open("")) {
            String traced = "SELECT name FROM shapes.item WHERE name = 'five'";
            String insert = "REPLACE INTO shapes.item (id, name) VALUES (6, NULL)";
            for (String sql : new String[] {
                "SET optimizer_trace = 'enabled=on'",
                "SET profiling = 1",
                "SET sql_mode = @@GLOBAL.sql_mode",
                traced,
                insert
            }) {
                twins.throughOnly(sql);
            }
            assertThat(twins.readable("SELECT query FROM information_schema.optimizer_trace"))
                    .contains(traced);
            assertThat(twins.readable("SHOW PROFILES")).contains(insert).doesNotContain("@@sql_mode");
        }
    }

    /** The store's own packets, though it never received a list of that length. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id, name, kind, flag, made FROM shapes.item WHERE id IN (?)",
                "SELECT i.name AS `IN ( ? , ? )` FROM shapes.item i WHERE i.id IN (?)",
                "SELECT COUNT(*) FROM shapes.item WHERE id IN (?)",
                "SELECT name, 1 AS found FROM shapes.part WHERE item IN (?) ORDER BY item, no"
            })
    void inList_ofANewLength_isAnsweredByteForByteWithoutTheStore(String sql) throws Exception {
        try (Twins twins = open("")) {
            soon(sql).untilAsserted(() -> {
                twins.query(sql.replace("(?)", "(5, 6)"));
                assertThat(twins.readable("KEYLINE LAST")).contains("source line");
            });
            soon(sql).untilAsserted(() -> {
                twins.execute(
                        twins.prepare(sql.replace("(?)", "(?, 6)")),
                        new StatementArguments().addInt64(5),
                        sql + " with 2");
                assertThat(twins.readable("KEYLINE LAST")).contains("source line");
            });
            for (int length : new int[] {3, 4, 7, 32, 64}) {
                String list = ", 6".repeat(length - 2);
                twins.query(sql.replace("(?)", "(77, 5" + list + ")"));
                assertThat(twins.readable("KEYLINE LAST"))
                        .as(sql + " of " + length)
                        .doesNotContain("source store");
                Twins.Statement prepared = twins.prepare(sql.replace("(?)", "(?, 5" + list + ")"));
                twins.execute(prepared, new StatementArguments().addInt64(77), sql + " with " + length);
                assertThat(twins.readable("KEYLINE LAST"))
                        .as(sql + " prepared, of " + length)
                        .doesNotContain("source store");
            }
        }
    }

    /** Returns the status of the packet after the last row, EOF or OK. */
    private static int status(Answer answer) {
        String last = answer.packets().get(answer.packets().size() - 1).substring(8);
        return Integer.parseInt(last.substring(8, 10) + last.substring(6, 8), 16);
    }
}
