package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * INSERTs whose keys MariaDB chooses: reads of other rows remain hits, and the new row is seen at
 * once.
 */
class NumberedRowsIT {
    private static final String[] SETTINGS = {"cache.ttl=1h", "privilegeTtl=1h", "store.signal=none"};
    private static final int ROWS = 20;
    private static final int ROUNDS = 100;

    @SuppressWarnings("NullAway.Init")
    private static MariaDb store;

    @SuppressWarnings("NullAway.Init")
    private static RelayGateway gateway;

    @SuppressWarnings("NullAway.Init")
    private Connection straight;

    @SuppressWarnings("NullAway.Init")
    private Connection writer;

    @SuppressWarnings("NullAway.Init")
    private Connection reader;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        try (Connection connection = DriverManager.getConnection(store.jdbc(""));
                Statement sql = connection.createStatement()) {
            sql.execute("CREATE OR REPLACE DATABASE numbered");
        }
        gateway = RelayGateway.start(store, SETTINGS);
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        try (Connection connection = DriverManager.getConnection(store.jdbc(""));
                Statement sql = connection.createStatement()) {
            sql.execute("DROP DATABASE numbered");
        }
    }

    @BeforeEach
    void open() throws Exception {
        straight = DriverManager.getConnection(store.jdbc("numbered"));
        writer = DriverManager.getConnection(gateway.jdbc("numbered"));
        reader = DriverManager.getConnection(gateway.jdbc("numbered"));
        run(
                writer,
                "CREATE OR REPLACE TABLE people (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40), UNIQUE (name))");
        run(
                writer,
                "CREATE OR REPLACE TABLE items (owner INT, id INT AUTO_INCREMENT, name VARCHAR(40), PRIMARY KEY (owner, id),"
                        + " KEY (id))");
        StringJoiner people = new StringJoiner(", ", "INSERT INTO people (name) VALUES ", "");
        StringJoiner items = new StringJoiner(", ", "INSERT INTO items (owner, name) VALUES ", "");
        for (int i = 1; i <= ROWS; i++) {
            people.add("('p" + i + "')");
            items.add("(" + i % 3 + ", 'i" + i + "')");
        }
        run(writer, people.toString());
        run(writer, items.toString());
    }

    @AfterEach
    void close() throws Exception {
        writer.close();
        reader.close();
        straight.close();
    }

    private static String rows(Connection connection, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            ResultSet result = statement.getResultSet();
            while (result.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    row.append(result.getString(i)).append(' ');
                }
                rows.add(row.toString());
            }
        }
        return rows.toString();
    }

    /** Reads through the gateway and compares with the store; returns whether a line answered. */
    private boolean hits(Connection session, String sql) throws SQLException {
        String seen = rows(session, sql);
        boolean hit = rows(session, "KEYLINE LAST").contains("source line");
        assertThat(seen).as(sql).isEqualTo(rows(straight, sql));
        return hit;
    }

    /** Lines are loaded once the catalog has been read after the tables' definitions. */
    private void warm(String sql) {
        soon(sql).untilAsserted(() -> assertThat(hits(reader, sql)).isTrue());
    }

    private static String byId(long id) {
        return "SELECT id, name FROM people WHERE id = " + id;
    }

    private static long insert(Connection session, String sql) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.executeUpdate(sql, Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                return keys.getLong(1);
            }
        }
    }

    /**
     * Like any application with an ORM: adds rows, and reads rows by their ids. Django adds
     * RETURNING on MariaDB.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO people (name) VALUES ('new #')",
                "INSERT INTO people (name) VALUES ('new #') RETURNING people.id",
                "INSERT INTO people (name) VALUES ('a #'), ('b #'), ('c #') RETURNING name, id AS pk",
                "INSERT IGNORE INTO people (id, name) VALUES (0, 'a #'), (NULL, 'a #'), (DEFAULT, 'c #') RETURNING *"
            })
    void rowsThatAreThere_areHits_whileOthersAreAdded(String insert) throws Exception {
        for (int id = 1; id <= ROWS; id++) {
            warm(byId(id));
        }
        int hits = 0;
        for (int round = 0; round < ROUNDS; round++) {
            run(writer, insert.replace("#", "" + round));
            hits += hits(reader, byId(1 + round % ROWS)) ? 1 : 0;
        }
        assertThat(hits).as("hits of %d reads", ROUNDS).isGreaterThan(ROUNDS * 95 / 100);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "NumberedRowsIT.newRow_isSeenAtOnce.txt", delimiter = '\t', quoteCharacter = '~')
    void newRow_isSeenAtOnce(String insert) throws Exception {
        String all = "SELECT id, name FROM people WHERE id IN (3, 20, 21, 22, 23, 24) ORDER BY id";
        List<String> each = List.of(byId(21), all, byId(22), byId(3), byId(23), byId(24), byId(-5), byId(0));
        each.forEach(this::warm);
        run(writer, insert);
        for (int again = 0; again < 3; again++) {
            for (String sql : each) {
                hits(reader, sql);
                hits(writer, sql);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " RETURNING id, name"})
    void newRow_ofAPreparedStatement_isSeenAtOnce(String returning) throws Exception {
        try (Connection prepares = DriverManager.getConnection(gateway.jdbc("numbered") + "&useServerPrepStmts=true");
                PreparedStatement insert =
                        prepares.prepareStatement("INSERT INTO people (id, name) VALUES (?, ?)" + returning)) {
            for (int round = 0; round < 30; round++) {
                long next = ROWS + 1L + round;
                warm(byId(1));
                warm(byId(next));
                switch (round % 3) {
                    case 0 -> insert.setNull(1, java.sql.Types.BIGINT);
                    case 1 -> insert.setLong(1, 0);
                    default -> insert.setLong(1, next);
                }
                insert.setString(2, "prepared " + round);
                insert.execute();
                hits(reader, byId(next));
                assertThat(hits(reader, byId(1))).isTrue();
                hits(prepares, byId(next));
            }
        }
    }

    /**
     * A row that was deleted past the gateway is seen until its line ends, but not once the gateway
     * writes another row with its key.
     */
    @Test
    void keyThatTheStoreUsesAgain_isThatOfTheNewRow() throws Exception {
        for (int id = 1; id <= ROWS; id++) {
            warm(byId(id));
        }
        run(straight, "TRUNCATE TABLE people");
        for (int id = 1; id <= 3; id++) {
            assertThat(insert(writer, "INSERT INTO people (name) VALUES ('again " + id + "')"))
                    .isEqualTo(id);
            hits(reader, byId(id));
        }
    }

    @Test
    void newRow_ofATransaction_isItsOwnUntilItCommits() throws Exception {
        long next = ROWS + 1;
        for (long id : new long[] {1, 2, next}) {
            warm(byId(id));
        }
        writer.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        for (boolean commits : new boolean[] {false, true}) {
            writer.setAutoCommit(false);
            next = insert(writer, "INSERT INTO people (name) VALUES ('within')");
            assertThat(rows(writer, byId(next))).contains("within");
            assertThat(rows(writer, byId(1))).contains("p1");
            assertThat(hits(reader, byId(1))).isTrue();
            hits(reader, byId(next));
            if (commits) {
                writer.commit();
            } else {
                writer.rollback();
            }
            writer.setAutoCommit(true);
            for (int again = 0; again < 3; again++) {
                hits(reader, byId(next));
                hits(writer, byId(next));
            }
        }
    }

    @Test
    void rowsUnderAPrefix_includeTheNewOne() throws Exception {
        String prefix = "SELECT id, name FROM items WHERE owner = 1";
        String one = "SELECT name FROM items WHERE owner = 1 AND id = 4";
        String other = "SELECT COUNT(*) FROM items WHERE owner = 2";
        for (String sql : List.of(prefix, one, other)) {
            warm(sql);
        }
        for (int round = 0; round < 20; round++) {
            insert(writer, "INSERT INTO items (owner, name) VALUES (1, 'more')");
            hits(reader, prefix);
            assertThat(hits(reader, other)).isTrue();
            hits(reader, one);
        }
    }

    /**
     * Reads of a page of the newest rows turn lines into ranges of ids, and every new row may be in
     * one.
     */
    @Test
    void newestRows_includeTheNewOne_andReadsOfOneRowRemainHits() throws Exception {
        String newest = "SELECT id, name FROM people ORDER BY id DESC LIMIT 3";
        warm(newest);
        for (int id = 1; id <= ROWS; id++) {
            warm(byId(id));
        }
        int hits = 0;
        for (int round = 0; round < 40; round++) {
            long id = insert(writer, "INSERT INTO people (name) VALUES ('newest " + round + "')");
            hits(reader, newest);
            hits(reader, byId(id));
            hits(reader, byId(id + 1));
            hits += hits(reader, byId(1 + round % ROWS)) ? 1 : 0;
        }
        assertThat(hits).as("hits of 40 reads").isGreaterThan(30);
    }
}
