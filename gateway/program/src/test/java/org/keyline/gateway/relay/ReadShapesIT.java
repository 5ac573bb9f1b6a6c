package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * The ways in which frameworks read a row, its existence, and counts: the store's own packets, from
 * lines.
 */
class ReadShapesIT {
    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions(
            "tables.shapes.part.prefix=1", "tables.shapes.pair.prefix=1", "tables.shapes.hinted.prefix=1");

    @BeforeAll
    static void start() throws Exception {
        try (Twins twins = twins()) {
            for (String sql : new String[] {
                "DROP DATABASE IF EXISTS shapes",
                "CREATE DATABASE shapes CHARACTER SET utf8mb4",
                "CREATE TABLE shapes.item (id INT PRIMARY KEY, name VARCHAR(40), kind TINYINT, flag BIT(3), made YEAR)",
                "INSERT INTO shapes.item VALUES (5, 'five', 3, b'101', 2026), (6, NULL, NULL, NULL, NULL)",
                "CREATE TABLE shapes.part (item INT, no INT, name VARCHAR(40), PRIMARY KEY (item, no))",
                "INSERT INTO shapes.part VALUES (1, 1, 'a'), (1, 2, 'b'), (1, 3, 'c'), (2, 1, 'd')",
                "CREATE TABLE shapes.pair (a INT, b INT, c INT, v VARCHAR(40), PRIMARY KEY (a, b, c))",
                "INSERT INTO shapes.pair VALUES (1, 1, 1, 'x'), (1, 1, 2, 'y'), (1, 2, 1, 'y'), (1, 3, 1, 'x'),"
                        + " (1, 3, 2, 'x'), (1, 4, 9, NULL), (5, 2, 1, 'x'), (5, 2, 2, 'x'), (6, 1, 1, 'x')",
                "CREATE TABLE shapes.latin (a INT, k VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin, v INT,"
                        + " PRIMARY KEY (a, k))",
                "CREATE TABLE shapes.hinted (a INT, b INT, name VARCHAR(40), PRIMARY KEY (a, b), KEY by_name (a, name))",
                "CREATE TABLE shapes.covered (a INT, b INT, v INT, w INT, PRIMARY KEY (a, b), KEY (v), KEY (b))",
                "CREATE TABLE shapes.parted (a INT, b INT, v INT, PRIMARY KEY (a, b)) PARTITION BY HASH (b) PARTITIONS 3",
                "CREATE TABLE shapes.heap (a INT, b INT, v INT, PRIMARY KEY (a, b)) ENGINE = MyISAM",
                "INSERT INTO shapes.covered VALUES (1, 1, 9, 1), (1, 2, 8, 2), (1, 3, 7, 3), (2, 1, 0, 0)",
                "INSERT INTO shapes.parted VALUES (1, 1, 9), (1, 2, 8), (1, 3, 7), (1, 4, 6), (2, 1, 0)",
                "INSERT INTO shapes.heap VALUES (1, 3, 9), (1, 2, 8), (1, 1, 7)",
                "INSERT INTO shapes.hinted VALUES (5, 1, 'z'), (5, 2, 'a'), (6, 1, 'b'), (1, 1, 'c'), (1, 2, 'c')",
                "INSERT INTO shapes.latin VALUES (1, 'abc', 1), (2, 'æ', 2), (3, 'z', 3)",
                "CREATE TABLE shapes.people (name VARCHAR(40), n INT, PRIMARY KEY (name, n)) COLLATE utf8mb4_general_ci",
                "INSERT INTO shapes.people VALUES ('jose', 1), ('jos\u00e9', 2), ('zo\u00eb', 1)"
            }) {
                twins.throughOnly(sql);
            }
        }
    }

    private static Twins twins() throws Exception {
        return twins(Capabilities.CLIENT_DEPRECATE_EOF);
    }

    /** @param capability instead of CLIENT_DEPRECATE_EOF */
    private static Twins twins(int capability) throws Exception {
        return SESSIONS.open(options -> options.capabilities(
                (ClientOptions.DEFAULT_CAPABILITIES & ~Capabilities.CLIENT_DEPRECATE_EOF) | capability));
    }

    /**
     * The store finds these rows by a text without accents; a line would have to treat both texts
     * as one key.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM shapes.people WHERE name = 'jose' ORDER BY n",
                "SELECT * FROM shapes.people WHERE name = 'zoe' AND n = 1"
            })
    void rowThatALineCannotHave_isReadAtTheStore_withoutALoadEachTime(String sql) throws Exception {
        try (Twins twins = twins()) {
            soon(sql).untilAsserted(() -> {
                twins.query(sql);
                assertThat(twins.readable("KEYLINE LAST")).contains("TOO_BIG");
            });
            String loads = twins.readable("SHOW STATUS LIKE 'keyline_loads'");
            for (int i = 0; i < 10; i++) {
                twins.query(sql);
            }
            assertThat(twins.readable("SHOW STATUS LIKE 'keyline_loads'")).isEqualTo(loads);
        }
    }

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
        for (int capability : new int[] {0, Capabilities.CLIENT_DEPRECATE_EOF}) {
            try (Twins twins = twins(capability)) {
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

    /**
     * The store reads another index or partitions, or rows in the order in which they were written,
     * not in key order.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, b, v FROM shapes.covered WHERE a = 1",
                "SELECT v FROM shapes.covered WHERE a IN (1, 2)",
                "SELECT v FROM shapes.covered WHERE a = 1 AND b IN (3, 1)",
                "SELECT * FROM shapes.covered WHERE a = 1 AND b IN (2, 1)",
                "SELECT name FROM shapes.hinted WHERE a = 5",
                "SELECT * FROM shapes.parted WHERE a = 1",
                "SELECT v FROM shapes.parted WHERE (a, b) IN ((1, 1), (1, 2), (1, 3))",
                "SELECT * FROM shapes.heap WHERE a = 1",
                "SELECT b FROM shapes.heap WHERE a = 1 AND b IN (1, 2, 3)",
            })
    void rowsWithoutOrder_comeInTheOrderOfTheStore(String sql) throws Exception {
        String table = sql.replaceAll(".* FROM (\\S+) .*", "$1");
        String ordered = "SELECT * FROM " + table + " WHERE a = 1 ORDER BY b";
        try (Twins twins = twins()) {
            soon(ordered).untilAsserted(() -> {
                twins.query(ordered);
                assertThat(twins.readable("KEYLINE LAST")).contains("source line");
            });
            for (int i = 0; i < 4; i++) {
                twins.query(sql);
                assertThat(twins.readable("KEYLINE LAST")).contains("RANGE_WITHOUT_ORDER");
            }
        }
    }

    /** No other index contains all selected columns, or begins with a compared column. */
    @Test
    void rowsWithoutOrder_thatOnlyTheKeyFinds_areHits() throws Exception {
        try (Twins twins = twins()) {
            for (String sql : List.of(
                    "SELECT * FROM shapes.covered WHERE a = 1", "SELECT v, w FROM shapes.covered WHERE a IN (2, 1)")) {
                soon(sql).untilAsserted(() -> {
                    twins.query(sql);
                    assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                });
            }
        }
    }

    /**
     * MariaDB does not find text beyond ASCII by a row IN of several tuples with another character
     * set. Its answer is the reference.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM shapes.latin WHERE (a, k) IN ((1, 'abc'), (2, 'æ'))",
                "SELECT v FROM shapes.latin WHERE (k, a) IN (('æ', 2), ('abc', 1)) ORDER BY a, k",
                "SELECT * FROM shapes.latin WHERE (a, k) IN ((1, 'abc'), (3, 'z'))",
                "SELECT * FROM shapes.latin WHERE (a, k) IN ((2, 'æ'))",
                "SELECT * FROM shapes.latin WHERE a = 2 AND k IN ('æ', 'abc')",
                "SELECT * FROM shapes.latin WHERE (a, k) IN ((1, ?), (2, ?))",
            })
    void rowsOfTextInLatin1_areTheStores(String sql) throws Exception {
        try (Twins twins = twins()) {
            for (String key : new String[] {"a = 1 AND k = 'abc'", "a = 2 AND k = 'æ'", "a = 3 AND k = 'z'"}) {
                soon(key).untilAsserted(() -> {
                    twins.query("SELECT * FROM shapes.latin WHERE " + key);
                    assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                });
            }
            Twins.Statement prepared = sql.contains("?") ? twins.prepare(sql) : null;
            for (int i = 0; i < 4; i++) {
                if (prepared == null) {
                    twins.query(sql);
                } else {
                    twins.execute(
                            prepared, new StatementArguments().addText("abc").addText("æ"), sql);
                }
            }
        }
    }

    /**
     * The client requests tracking without the capability for it. The flag 0x4000 is set
     * nevertheless, also outside of transactions.
     */
    @Test
    void readsWithTrackedTransactions_haveTheStoresFlags() throws Exception {
        try (Twins twins = twins(0)) {
            soon("a line").untilAsserted(() -> {
                twins.query("SELECT name FROM shapes.item WHERE id = 5");
                assertThat(twins.readable("KEYLINE LAST")).contains("source line");
            });
            twins.query("SET session_track_transaction_info = 'CHARACTERISTICS'");
            for (int i = 0; i < 3; i++) {
                twins.query("SELECT name FROM shapes.item WHERE id = 5");
            }
            twins.query("SET session_track_transaction_info = 'OFF'");
            for (int i = 0; i < 3; i++) {
                twins.query("SELECT name FROM shapes.item WHERE id = 5");
            }
        }
    }

    @Test
    void fetchWithoutACursor_hasTheStoresError() throws Exception {
        try (Twins twins = twins()) {
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
        try (Twins twins = twins()) {
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

    /** Returns the status of the packet after the last row, EOF or OK. */
    private static int status(Answer answer) {
        String last = answer.packets().get(answer.packets().size() - 1).substring(8);
        return Integer.parseInt(last.substring(8, 10) + last.substring(6, 8), 16);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "ReadShapesIT.read_inAnotherShape_comesFromLinesByteForByte.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void read_inAnotherShape_comesFromLinesByteForByte(String sql) throws Exception {
        try (Twins twins = twins()) {
            Twins.Statement prepared = twins.prepare(sql);
            for (int id : new int[] {5, 6, 1, 77}) {
                soon(sql).untilAsserted(() -> {
                    twins.query(sql.replace("?", Integer.toString(id)));
                    assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                });
                soon(sql).untilAsserted(() -> {
                    StatementArguments arguments = new StatementArguments();
                    sql.chars().filter(each -> each == '?').forEach(each -> arguments.addInt64(id));
                    twins.execute(prepared, arguments, sql + " with " + id);
                    assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                });
            }
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
        try (Twins twins = twins()) {
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

    /**
     * They have the same shapes as those above, which ran before, but with numbers other than 1,
     * and text that is another column's name.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "ReadShapesIT.read_thatOnlyLooksLikeIt_isTheStores.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void read_thatOnlyLooksLikeIt_isTheStores(String sql) throws Exception {
        try (Twins twins = twins()) {
            for (String warm : new String[] {
                "SELECT 1 AS one FROM shapes.item WHERE id = 5 LIMIT 1",
                "SELECT 1 FROM shapes.item WHERE id = 5",
                "SELECT 'x' AS kind, name FROM shapes.item WHERE id = 5",
                "SELECT name FROM shapes.hinted FORCE INDEX (PRIMARY) WHERE a = 5 ORDER BY b",
                "SELECT name FROM shapes.hinted WHERE a = 5 AND 1 ORDER BY b",
                "SELECT name FROM shapes.item WHERE id = 5",
                "SELECT COUNT(1) FROM shapes.part WHERE item = 1",
                "SELECT COUNT(*) FROM shapes.item WHERE id = 5",
                "SELECT EXISTS(SELECT 1 FROM shapes.part WHERE item = 1 LIMIT 1) AS found",
                "SELECT * FROM shapes.item WHERE 1=1 AND id = 5",
                "SELECT * FROM shapes.item WHERE id BETWEEN 5 AND 5",
                "SELECT * FROM shapes.item WHERE id IN (5, 6, 6)",
                "SELECT no, name FROM shapes.part WHERE item = 1 ORDER BY 1",
                "SELECT * FROM shapes.item WHERE id = 5 ORDER BY 1",
                "SELECT MAX(no) FROM shapes.part WHERE item = 1",
                "SELECT COUNT(1) AS n FROM shapes.part WHERE item = 1",
                "SELECT COUNT(name) AS n FROM shapes.part WHERE item = 1",
                "SELECT * FROM shapes.part WHERE item = 1 AND no > 1 ORDER BY no",
                "SELECT * FROM shapes.part WHERE item = 1 AND no BETWEEN 1 AND 2 ORDER BY no"
            }) {
                soon(warm).untilAsserted(() -> {
                    twins.query(warm);
                    assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                });
            }
            for (int i = 0; i < 4; i++) {
                twins.query(sql);
            }
        }
    }
}
