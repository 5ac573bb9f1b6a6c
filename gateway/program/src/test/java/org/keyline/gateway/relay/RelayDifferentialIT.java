package org.keyline.gateway.relay;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.soon;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Thousands of seeded statements, text and binary, directly at a MariaDB and through the gateway at
 * a twin: the same packets, byte for byte, while most point reads are answered from lines.
 *
 * <p>{@code -Dkeyline.relay.statements=N} sets the number, {@code -Dkeyline.relay.seed=N} the seed;
 * {@code -Dkeyline.mysql=PORT,PORT} uses two MySQLs instead of the MariaDBs.
 */
@Tag("explores")
class RelayDifferentialIT {
    private static final int STATEMENTS = Integer.getInteger("keyline.relay.statements", 2_000);
    private static final long SEED = Long.getLong("keyline.relay.seed", 20_261_121);
    private static final int PER_SESSION = 120;
    /** The bit for an option in the variant. */
    private static final int SESSION_TRACK = 2;

    private static final int UTF8MB4_UNICODE_CI = 224;

    private static ClientOptions options(int variant) {
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_LOCAL_FILES;
        if ((variant & 1) != 0) {
            capabilities &= ~Capabilities.CLIENT_DEPRECATE_EOF;
        }
        if ((variant & SESSION_TRACK) != 0) {
            capabilities |= Capabilities.CLIENT_SESSION_TRACK;
        }
        if ((variant & 16) != 0) {
            capabilities |= Capabilities.CLIENT_QUERY_ATTRIBUTES;
        }
        if ((variant & 4) != 0) {
            capabilities |= Capabilities.CLIENT_FOUND_ROWS;
        }
        return ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .capabilities(capabilities)
                .database("shop")
                .retrievePublicKey(true)
                // Column definitions show the number, which a later SET of the character set
                // changes.
                .collation((variant & 8) == 0 ? Collation.UTF8MB4_GENERAL_CI : UTF8MB4_UNICODE_CI)
                .build();
    }

    @Test
    void everyPacketIsTheSame() throws Exception {
        compare(MariaDb.get("first"), MariaDb.get("second"), STATEMENTS, 0);
    }

    /** Another version than the one above, if this machine has one. */
    @Tag("nightly")
    @Test
    void everyPacketIsTheSame_onTheInstalledServer() throws Exception {
        MariaDb first = MariaDb.installed("first");
        MariaDb second = MariaDb.installed("second");
        assumeTrue(first != null && second != null, "no server is installed");
        // The order of tracked variables differs between its processes.
        compare(requireNonNull(first), requireNonNull(second), STATEMENTS / 4, SESSION_TRACK);
    }

    /**
     * Sessions with and without CLIENT_DEPRECATE_EOF read the same rows in turn. A template that
     * one of them created must not serve the other.
     */
    @Test
    void bothWaysToEndRows_haveTheirOwnBytes() throws Exception {
        MariaDb first = MariaDb.get("first");
        try (RelayGateway gateway = RelayGateway.start(MariaDb.get("second"));
                Twins without = new Twins(first, gateway.port(), noSchema(0));
                Twins with = new Twins(first, gateway.port(), noSchema(1))) {
            with.query("DROP DATABASE IF EXISTS formats");
            with.query("CREATE DATABASE formats");
            with.query("CREATE TABLE formats.t (id INT PRIMARY KEY, v VARCHAR(20))");
            with.query("INSERT INTO formats.t VALUES (1, 'one')");
            String read = "SELECT * FROM formats.t WHERE id = ";
            Twins.Statement preparedWithout = without.prepare(read + "?");
            Twins.Statement preparedWith = with.prepare(read + "?");
            // Its definition is new to the catalog; until it is read, all statements are forwarded.
            soon("the definition").until(() -> {
                for (int id = 1; id <= 2; id++) {
                    without.query(read + id);
                    with.query(read + id);
                    StatementArguments argument = new StatementArguments().addInt64(id);
                    without.execute(preparedWithout, argument, "EXECUTE " + id);
                    with.execute(preparedWith, argument, "EXECUTE " + id);
                }
                return hits(without) >= 12;
            });
        }
    }

    private static ClientOptions noSchema(int variant) {
        return options(variant).toBuilder().database(null).build();
    }

    private static void compare(MariaDb first, MariaDb second, int statements, int without) throws Exception {
        try (RelayGateway gateway = RelayGateway.start(second, "tables.shop.ranges.prefix=1")) {
            try (Twins twins = new Twins(first, gateway.port(), noSchema(0))) {
                for (String statement : TypedTables.schema()) {
                    twins.query(statement);
                }
            }
            Random random = new Random(SEED);
            int replies = 0;
            long hits = 0;
            // The number of hits depends on speed, because sessions may be faster than the catalog.
            // So the test continues until there are enough.
            for (int session = 0;
                    replies < statements || (hits <= replies / 16 && replies < 4 * statements);
                    session++) {
                try (Twins twins = new Twins(first, gateway.port(), options(session & ~without))) {
                    // Every other session mostly reads, because changes of settings or definitions
                    // turn hits off.
                    if (session % 2 == 0) {
                        awaitCatalog(twins);
                    }
                    Statements made = new Statements(twins, new Random(random.nextLong()), session % 2 == 0);
                    while (twins.replies() < PER_SESSION) {
                        made.next();
                    }
                    made.end();
                    replies += twins.replies();
                }
                try (Twins twins = new Twins(first, gateway.port(), options(0))) {
                    hits = hits(twins);
                }
            }
            System.out.println(replies + " replies the same, " + hits + " of them from lines");
            assertTrue(hits > replies / 16, "hits: " + hits + " of " + replies + " replies");
        }
    }

    /**
     * Waits until the catalog has read the last session's definitions; until then reads are
     * forwarded.
     */
    private static void awaitCatalog(Twins twins) {
        for (TypedTables.Table table : TypedTables.ALL) {
            String explain = "KEYLINE EXPLAIN " + table.firstRow();
            soon("the definition").until(() -> twins.readable(explain).contains("SHORT-CIRCUIT"));
        }
    }

    private static long hits(Twins twins) throws Exception {
        return Long.parseLong(
                Twins.row(twins.throughOnly("SHOW STATUS LIKE 'Keyline_hits'")).split(" ", -1)[1]);
    }

    /** One session's statements. */
    private static final class Statements {
        private final Twins twins;
        private final Random random;
        private final List<Prepared> prepared = new ArrayList<>();
        private final boolean calm;
        private boolean transaction;

        private record Prepared(Twins.Statement id, String sql, TypedTables.Table table) {}

        Statements(Twins twins, Random random, boolean calm) {
            this.twins = twins;
            this.random = random;
            this.calm = calm;
        }

        void next() throws Exception {
            TypedTables.Table table = TypedTables.ALL.get(random.nextInt(TypedTables.ALL.size()));
            int dice = random.nextInt(calm ? 73 : 100);
            if (dice < 40) {
                String read = table.pointRead(random);
                for (int i = 2 + random.nextInt(5); i > 0; i--) {
                    twins.query(read);
                }
                if (random.nextInt(8) == 0) {
                    twins.queryWithAttribute(read);
                }
            } else if (dice < 70) {
                execute(table);
            } else if (dice < 80 || calm) {
                twins.query(table.write(random));
            } else if (dice < 93) {
                twins.query(OTHERS.get(random.nextInt(OTHERS.size())));
            } else {
                rare(table);
            }
        }

        private void execute(TypedTables.Table table) throws Exception {
            Prepared statement;
            if (prepared.isEmpty() || random.nextInt(4) == 0) {
                String sql = table.preparedRead(random);
                statement = new Prepared(twins.prepare(sql), sql, table);
                prepared.add(statement);
            } else {
                statement = prepared.get(random.nextInt(prepared.size()));
            }
            int seed = random.nextInt();
            for (int i = 2 + random.nextInt(5); i > 0; i--) {
                StatementArguments arguments = statement.table().keyArguments(new Random(seed));
                boolean cursor = random.nextInt(4) == 0;
                boolean opened = !twins.execute(
                                statement.id(),
                                cursor ? arguments.withCursor() : arguments,
                                statement.sql() + " with " + seed + (cursor ? " and a cursor" : ""))
                        .isError();
                if (cursor && opened) {
                    // A table read by its whole key has one row at most; the second time there is
                    // none.
                    twins.fetch(statement.id(), 1 + random.nextInt(2));
                }
            }
        }

        private void rare(TypedTables.Table table) throws Exception {
            switch (random.nextInt(9)) {
                case 0 -> {
                    twins.query(transaction ? "COMMIT" : "START TRANSACTION");
                    transaction = !transaction;
                    twins.query(table.pointRead(random));
                }
                case 1 -> {
                    twins.query("BEGIN");
                    twins.query(table.write(random));
                    String read = table.pointRead(random);
                    twins.query(read);
                    twins.query("ROLLBACK");
                    transaction = false;
                    twins.query(read);
                    twins.query(read);
                }
                case 2 ->
                    twins.send(Twins.text(CommandCode.COM_INIT_DB, random.nextBoolean() ? "shop" : "other"), "INIT_DB");
                case 3 -> {
                    twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_RESET_CONNECTION), "RESET_CONNECTION");
                    prepared.clear();
                    transaction = false;
                    twins.query("USE shop");
                }
                case 4 ->
                    twins.query(table.pointRead(random) + "; " + table.write(random) + "; " + table.pointRead(random));
                case 5 -> twins.query("CALL several(" + random.nextInt(20) + ")");
                case 6 -> {
                    Twins.Statement id = twins.prepare("CALL doubled(?, @out)");
                    twins.execute(id, new StatementArguments().addInt64(random.nextInt(50)), "CALL doubled");
                    twins.query("SELECT @out");
                }
                case 7 -> twins.query("LOAD DATA LOCAL INFILE 'any' REPLACE INTO TABLE loaded");
                default -> {
                    twins.query(table.alter(random));
                    String read = table.pointRead(random);
                    twins.query(read);
                    twins.query(read);
                    twins.query(read);
                }
            }
        }

        void end() throws Exception {
            if (transaction) {
                twins.query("ROLLBACK");
            }
        }
    }

    private static final List<String> OTHERS = List.of(
            "SHOW WARNINGS",
            "SELECT FOUND_ROWS()",
            "SELECT ROW_COUNT()",
            "SELECT LAST_INSERT_ID()",
            "SELECT @@sql_mode, @@autocommit, DATABASE()",
            "SET NAMES utf8mb4",
            "SET NAMES latin1",
            "SET NAMES utf8mb4 COLLATE utf8mb4_bin",
            "SET character_set_results = NULL",
            "SET character_set_results = utf8mb4",
            "SET character_set_results = binary",
            "SET sql_mode = 'ANSI_QUOTES'",
            "SET sql_mode = 'STRICT_TRANS_TABLES'",
            "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
            "SET sql_mode = DEFAULT",
            "SET time_zone = '+03:00'",
            "SET time_zone = '+00:00'",
            "SET time_zone = DEFAULT",
            "SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES'), sql_auto_is_null = 0",
            "SET sql_select_limit = 1",
            "SET sql_select_limit = 2",
            "SET sql_select_limit = DEFAULT",
            "SET @a = 5",
            "SELECT @a",
            "SELECT SQL_CALC_FOUND_ROWS id FROM ints LIMIT 2",
            "SELECT count(*), max(id) FROM ints",
            "SELECT * FROM ints WHERE id = 3 FOR UPDATE",
            "SELECT * FROM ints WHERE id = 3 LOCK IN SHARE MODE",
            "SELECT /*+ NO_ICP(ints) */ * FROM ints WHERE id = 4",
            "SELECT /*!50000 SQL_NO_CACHE */ * FROM ints WHERE id = 4",
            "SELECT * FROM ints_view WHERE id = 4",
            "SELECT * FROM other.ints WHERE id = 4",
            // A fixed order of tables, which the flags of columns show.
            "SELECT i.* FROM ints i STRAIGHT_JOIN ranges r ON r.user_id = i.id ORDER BY 1, 2 LIMIT 3",
            "SELECT 1/0",
            "SELECT nothing FROM ints",
            "SELECT * FROM nowhere WHERE id = 1",
            "SELEC 1",
            "INSERT INTO ints (id) VALUES (3)",
            "SHOW TABLES",
            "SHOW COLUMNS FROM ints",
            "DESCRIBE ranges",
            "EXPLAIN SELECT * FROM ints WHERE id = 3",
            "DO SLEEP(0)",
            "SELECT REPEAT('x', 70000)",
            "SELECT ''",
            "");
}
