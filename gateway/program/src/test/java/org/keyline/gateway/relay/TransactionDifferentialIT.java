package org.keyline.gateway.relay;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Seeded transactions of one client, at every level and with autocommit off, directly at a MariaDB
 * and through the gateway at a twin. The packets are the same, including status flags, while reads
 * are answered from lines.
 *
 * <p>{@code -Dkeyline.transactions.sessions=N} sets the number,
 * {@code -Dkeyline.transactions.seed=N} the seed.
 */
@Tag("explores")
class TransactionDifferentialIT {
    private static final int SESSIONS = Integer.getInteger("keyline.transactions.sessions", 60);
    private static final long SEED = Long.getLong("keyline.transactions.seed", 20_261_122);
    private static final int PER_SESSION = 80;
    /**
     * Sessions that test answers without the store are longer and fewer by this factor, because the
     * store has to answer each form once.
     */
    private static final int LONGER = 5;
    /**
     * This many reads of a calm session are learned: lines answer the first transaction with each
     * of them.
     */
    private static final int TAUGHT = 2;

    private static final int MOST_LESSONS = 70;

    private static final List<String> LEVELS =
            List.of("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "REPEATABLE READ", "SERIALIZABLE");

    private static ClientOptions options(int variant, boolean schema) {
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES;
        if ((variant & 1) != 0) {
            capabilities &= ~Capabilities.CLIENT_DEPRECATE_EOF;
        }
        if ((variant & 2) != 0) {
            capabilities |= Capabilities.CLIENT_QUERY_ATTRIBUTES;
        }
        if ((variant & 4) != 0) {
            capabilities |= Capabilities.CLIENT_SESSION_TRACK;
        }
        return ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .capabilities(capabilities | Capabilities.CLIENT_MULTI_STATEMENTS)
                .database(schema ? "tx" : null)
                .retrievePublicKey(true)
                .build();
    }

    private static RelayGateway start(MariaDb first) throws Exception {
        RelayGateway gateway = RelayGateway.start(MariaDb.get("second"), "tables.tx.pairs.prefix=1");
        try (Twins twins = new Twins(first, gateway.port(), options(0, false))) {
            twins.query("DROP DATABASE IF EXISTS tx");
            twins.query("CREATE DATABASE tx CHARACTER SET utf8mb4");
            twins.query("CREATE DATABASE IF NOT EXISTS tx2 CHARACTER SET utf8mb4");
            twins.query("CREATE TABLE IF NOT EXISTS tx2.accounts (id INT PRIMARY KEY, v INT)");
            twins.query("CREATE TABLE tx.accounts (id INT PRIMARY KEY, v INT)");
            twins.query("INSERT INTO tx.accounts VALUES (1, 10), (2, 20), (3, 30)");
            twins.query("CREATE TABLE tx.pairs (a INT, b INT, v INT, PRIMARY KEY (a, b))");
            twins.query("INSERT INTO tx.pairs VALUES (1, 1, 10), (1, 2, 20), (2, 1, 30)");
            twins.query("CREATE TABLE tx.plain (id INT PRIMARY KEY, v INT) ENGINE = MyISAM");
            twins.query("INSERT INTO tx.plain VALUES (1, 10), (2, 20)");
            for (String table : List.of("accounts WHERE id = 1", "pairs WHERE a = 1", "plain WHERE id = 1")) {
                soon("the definition")
                        .until(() -> twins.readable("KEYLINE EXPLAIN SELECT * FROM tx." + table)
                                .contains("SHORT-CIRCUIT"));
            }
        }
        return gateway;
    }

    /**
     * Statements between SAVEPOINT and COMMIT, with autocommit off. The savepoint begins a
     * transaction that the store's flags do not show.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "READ; UPDATE accounts SET v = v + 1; ROLLBACK TO s",
                "READ; RELEASE SAVEPOINT s",
                "READ; ROLLBACK TO SAVEPOINT s; READ",
                "READ; SAVEPOINT t; UPDATE accounts SET v = v + 1; ROLLBACK TO s; ROLLBACK TO t",
                "READ; PING; UPDATE accounts SET v = v + 1; ROLLBACK TO s",
                "PING; READ; DO 1; ROLLBACK WORK TO SAVEPOINT s",
                "SELEC; READ; UPDATE accounts SET v = v + 1; ROLLBACK TO s",
                "SELECT 1; SAVEPOINT s; READ; READ; SAVEPOINT s; RELEASE SAVEPOINT s; ROLLBACK TO s",
                "COMMIT; BOTH; READ; RELEASE SAVEPOINT t"
            })
    void savepoint_aheadOfAHit_isTheStoresUntilCommit(String between) throws Exception {
        MariaDb first = MariaDb.get("first");
        try (RelayGateway gateway = start(first)) {
            for (String level : LEVELS) {
                try (Twins twins = new Twins(first, gateway.port(), options(0, true))) {
                    String read = "SELECT * FROM accounts WHERE id = 1";
                    twins.query("SET SESSION TRANSACTION ISOLATION LEVEL " + level);
                    twins.query(read);
                    twins.query(read);
                    twins.query("SET autocommit = 0");
                    for (int i = 0; i < 3; i++) {
                        twins.query("SAVEPOINT s");
                        for (String statement : between.split("; ", -1)) {
                            if (statement.equals("PING")) {
                                twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_PING), "PING");
                            } else {
                                twins.query(statement
                                        .replace("READ", read)
                                        .replace("BOTH", "SAVEPOINT t; SELECT nothing FROM accounts"));
                            }
                        }
                        twins.query("COMMIT");
                    }
                    twins.query("SELECT * FROM accounts");
                    twins.query("COMMIT");
                }
            }
        }
    }

    @Test
    void transactions_ofEveryLevel_haveTheSamePackets() throws Exception {
        MariaDb first = MariaDb.get("first");
        try (RelayGateway gateway = start(first)) {
            Random random = new Random(SEED);
            int replies = 0;
            int within = 0;
            int trusted = 0;
            for (int session = 0; session < SESSIONS; session++) {
                try (Twins twins = new Twins(first, gateway.port(), options(session, true))) {
                    // Statements that set characteristics of one transaction turn hits off, so half
                    // of the sessions have none. Half of those have autocommit off, one level, and
                    // savepoints.
                    boolean calm = session % 4 < 2;
                    Client client = new Client(twins, new Random(random.nextLong()), calm);
                    if (session % 8 < 2) {
                        client.nest();
                    }
                    for (int i = 0; calm && i < TAUGHT; i++) {
                        client.teach("SELECT v, id AS a" + session + "_" + i + " FROM accounts WHERE id = ");
                    }
                    for (int end = twins.replies() + PER_SESSION; twins.replies() < end; ) {
                        client.next();
                    }
                    twins.query("ROLLBACK");
                    replies += twins.replies();
                    within += client.hitsWithin;
                    trusted += client.trusted;
                }
            }
            System.out.println(replies + " replies the same, " + within + " of them from lines within transactions, "
                    + trusted + " trusted transactions went on");
            assertTrue(within > 2 * SESSIONS, "hits: " + within + " of " + replies + " replies");
            assertTrue(trusted > SESSIONS / 4, "transactions that went on behind a hit: " + trusted);
        }
    }

    /**
     * The gateway answers the statements that frame a transaction if the store has none of its
     * statements, with the packets of a direct session.
     */
    @Test
    void frames_ofTransactionsThatTheStoreNeverSees_haveTheSamePackets() throws Exception {
        MariaDb first = MariaDb.get("first");
        MariaDb second = MariaDb.get("second");
        try (RelayGateway gateway = start(first)) {
            Random random = new Random(SEED + 1);
            int replies = 0;
            long straight = -frames(first);
            long through = -frames(second);
            for (int session = 0; session < SESSIONS / LONGER; session++) {
                try (Twins twins = new Twins(first, gateway.port(), options(session, true))) {
                    Framed client = new Framed(twins, new Random(random.nextLong()));
                    for (int i = 0; i < PER_SESSION * LONGER; i++) {
                        client.next();
                    }
                    twins.query("ROLLBACK");
                    twins.query("SELECT @@autocommit, @@in_transaction, DATABASE()");
                    replies += twins.replies();
                }
            }
            straight += frames(first);
            through += frames(second);
            System.out.println(replies + " replies the same, of " + straight + " statements that frame transactions "
                    + through + " reached the store");
            assertTrue(
                    MariaDb.isForeign() || through < straight,
                    through + " of " + straight + " statements reached the store");
        }
    }

    /**
     * Sessions share the store's replies. A global that changes them applies only to sessions that
     * begin later.
     */
    @Test
    void frames_ofSessionsBehindAnotherGlobal_haveTheSamePackets() throws Exception {
        MariaDb first = MariaDb.get("first");
        MariaDb second = MariaDb.get("second");
        String tracked = "SET GLOBAL session_track_system_variables = ";
        String before;
        try (Connection connection = first.connect("")) {
            before = tracked + "'" + one(connection, "SELECT @@GLOBAL.session_track_system_variables") + "'";
        }
        try (RelayGateway gateway = start(first)) {
            for (String global : List.of(
                    before,
                    tracked + "''",
                    before,
                    "SET GLOBAL completion_type = 'CHAIN'",
                    "SET GLOBAL completion_type = 'NO_CHAIN'",
                    "SET GLOBAL session_track_state_change = 1",
                    "SET GLOBAL session_track_state_change = 0")) {
                global(global, first, second);
                // Otherwise, a login may reuse the store's answer to an equal one for some time.
                try (Connection flushes = gateway.connect("")) {
                    run(flushes, "KEYLINE FLUSH ALL");
                }
                for (int session = 0; session < 16; session++) {
                    try (Twins twins = new Twins(first, gateway.port(), options(session, true))) {
                        frame(twins);
                    }
                }
            }
        } finally {
            global(before, first, second);
            global("SET GLOBAL completion_type = 'NO_CHAIN'", first, second);
            global("SET GLOBAL session_track_state_change = 0", first, second);
        }
    }

    private static void global(String set, MariaDb... stores) throws SQLException {
        for (MariaDb store : stores) {
            store.run(set);
        }
    }

    private static void frame(Twins twins) throws Exception {
        twins.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        for (String statement : List.of(
                "SET autocommit=0",
                "READ",
                "COMMIT",
                "READ",
                "ROLLBACK",
                "SET autocommit=1",
                "BEGIN",
                "READ",
                "COMMIT")) {
            twins.query(statement.replace("READ", "SELECT * FROM accounts WHERE id = 1"));
        }
        twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_PING), "PING");
        twins.query("SELECT @@autocommit, @@in_transaction");
    }

    /** Returns the store's count of statements that frame transactions. */
    private static long frames(MariaDb store) throws SQLException {
        if (MariaDb.isForeign()) {
            return 0;
        }
        try (Connection connection = store.connect("")) {
            long frames = 0;
            for (String name : List.of("Com_begin", "Com_commit", "Com_rollback", "Com_set_option")) {
                frames += Long.parseLong(one(connection, "SHOW GLOBAL STATUS LIKE '" + name + "'", 2));
            }
            return frames;
        }
    }

    /** One session. */
    private static final class Client {
        private static final List<String> BEGIN = List.of(
                "BEGIN",
                "BEGIN",
                "START TRANSACTION",
                "START TRANSACTION",
                "START TRANSACTION READ ONLY",
                "START TRANSACTION READ WRITE",
                "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        private static final List<String> END =
                List.of("COMMIT", "COMMIT", "COMMIT", "ROLLBACK", "ROLLBACK", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN");
        private static final List<String> SAVEPOINTS = List.of(
                "SAVEPOINT s",
                "SAVEPOINT s",
                "SAVEPOINT t",
                "ROLLBACK TO s",
                "ROLLBACK WORK TO SAVEPOINT t",
                "RELEASE SAVEPOINT s",
                "SAVEPOINT t; SELECT nothing FROM accounts");
        private static final List<String> OTHERS =
                TextLines.of(TransactionDifferentialIT.class, "TransactionDifferentialIT.OTHERS.txt");

        private final Twins twins;
        private final Random random;
        private final boolean calm;
        private Twins.Statement read;
        private boolean autocommit = true;
        private boolean open;
        private boolean nests;
        private final List<String> taught = new ArrayList<>();
        int hitsWithin;
        int trusted;

        Client(Twins twins, Random random, boolean calm) throws Exception {
            this.calm = calm;
            this.twins = twins;
            this.random = random;
            twins.query("SELECT 1");
            read = twins.prepare("SELECT * FROM accounts WHERE id = ?");
        }

        void nest() throws Exception {
            nests = true;
            autocommit = false;
            twins.query("SET SESSION TRANSACTION ISOLATION LEVEL " + any(LEVELS));
            twins.query("SET autocommit = 0");
        }

        /** Ends transactions after one read until lines answer it. */
        void teach(String read) throws Exception {
            String begin = nests ? "DO 0" : "BEGIN";
            for (int i = 0; i < MOST_LESSONS; i++) {
                twins.query(begin);
                twins.query(read + 1);
                boolean line = twins.readable("KEYLINE LAST").contains("line");
                twins.query("COMMIT");
                if (line) {
                    taught.add(read);
                    return;
                }
            }
        }

        private void goOn() throws Exception {
            String read = taught.remove(taught.size() - 1);
            twins.query(nests ? "COMMIT" : "BEGIN");
            open = !nests;
            for (int i = 0; i <= random.nextInt(2); i++) {
                twins.query(read + 1);
                trusted += i == 0 && twins.readable("KEYLINE LAST").contains("line") ? 1 : 0;
            }
        }

        private <T> T any(List<T> of) {
            return of.get(random.nextInt(of.size()));
        }

        void next() throws Exception {
            int dice = random.nextInt(100);
            if (!taught.isEmpty() && dice < 10) {
                goOn();
            } else if (dice < 50) {
                read();
            } else if (nests) {
                nested(dice);
            } else if (dice >= 78 && random.nextInt(calm ? 2 : 4) == 0) {
                twins.query(any(SAVEPOINTS));
            } else if (calm && dice >= 78) {
                autocommit = random.nextBoolean();
                twins.query("SET autocommit = " + (autocommit ? 1 : 0));
            } else if (dice < 60) {
                twins.query(any(BEGIN));
                open = true;
            } else if (dice < 75) {
                twins.query(any(END));
                open = false;
            } else if (dice < 82) {
                write();
            } else if (dice < 87) {
                autocommit = !autocommit;
                twins.query("SET autocommit = " + (autocommit ? 1 : 0));
            } else if (dice < 92) {
                twins.query(characteristics());
            } else if (dice < 98) {
                twins.query(any(OTHERS.subList(0, OTHERS.size() - (random.nextInt(20) == 0 ? 0 : 1))));
            } else {
                command();
            }
        }

        private void nested(int dice) throws Exception {
            if (dice < 75) {
                twins.query(any(SAVEPOINTS));
            } else if (dice < 84) {
                write();
            } else if (dice < 94) {
                twins.query(any(END));
            } else if (dice < 97) {
                twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_PING), "PING");
            } else {
                twins.query(any(OTHERS.subList(0, OTHERS.size() - 1)));
            }
        }

        private void read() throws Exception {
            int key = 1 + random.nextInt(4);
            int times = 1 + random.nextInt(3);
            int form = random.nextInt(8);
            for (int i = 0; i < times; i++) {
                switch (form) {
                    case 0, 1 -> twins.query("SELECT * FROM accounts WHERE id = " + key);
                    case 2 -> twins.query("SELECT v FROM accounts WHERE id = " + key);
                    case 3 -> twins.query("SELECT id, v FROM accounts WHERE id IN (" + key + ", 1)");
                    case 4 -> twins.query("SELECT * FROM pairs WHERE a = " + key);
                    case 5 -> twins.query("SELECT * FROM plain WHERE id = " + key);
                    default -> twins.execute(read, new StatementArguments().addInt64(key), "read " + key);
                }
                boolean within = open || !autocommit;
                if (within && !twins.readable("KEYLINE LAST").contains("store")) {
                    hitsWithin++;
                }
            }
        }

        private void write() throws Exception {
            int key = 1 + random.nextInt(3);
            twins.query(
                    switch (random.nextInt(4)) {
                        case 0 -> "UPDATE accounts SET v = v + 1";
                        case 1 -> "UPDATE pairs SET v = v + 1 WHERE a = " + key;
                        case 2 -> "UPDATE plain SET v = v + 1 WHERE id = " + key;
                        default -> "UPDATE accounts SET v = v + 1 WHERE id = " + key;
                    });
        }

        private String characteristics() {
            String scope = random.nextInt(3) == 0 ? "" : "SESSION ";
            return switch (random.nextInt(6)) {
                case 0 -> "SET " + scope + "TRANSACTION READ ONLY";
                case 1, 2 -> "SET " + scope + "TRANSACTION READ WRITE";
                case 3 -> "SET " + scope + "TRANSACTION READ WRITE, ISOLATION LEVEL " + any(LEVELS);
                default -> "SET " + scope + "TRANSACTION ISOLATION LEVEL " + any(LEVELS);
            };
        }

        private void command() throws Exception {
            switch (random.nextInt(5)) {
                case 0 -> twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_PING), "PING");
                case 1 -> twins.send(Twins.text(CommandCode.COM_INIT_DB, "tx"), "INIT_DB");
                case 2 -> {
                    ByteBuf reset = Unpooled.buffer(1).writeByte(CommandCode.COM_RESET_CONNECTION);
                    twins.send(reset, "RESET_CONNECTION");
                    read = twins.prepare("SELECT * FROM accounts WHERE id = ?");
                    autocommit = true;
                    open = false;
                }
                default -> read = twins.prepare("SELECT * FROM accounts WHERE id = ?");
            }
        }
    }

    /**
     * A session at READ COMMITTED that reads between statements that frame transactions, and
     * sometimes runs other statements.
     */
    private static final class Framed {
        /** The first are the most frequent. */
        private static final List<String> FRAMES = List.of(
                "COMMIT",
                "SET autocommit=0",
                "SET autocommit=1",
                "COMMIT",
                "ROLLBACK",
                "BEGIN",
                "START TRANSACTION",
                "set SESSION autocommit = OFF",
                "SET @@autocommit := on",
                "SET SESSION TRANSACTION READ ONLY",
                "SET SESSION TRANSACTION READ WRITE",
                "commit work;");

        private static final List<String> OTHERS =
                TextLines.of(TransactionDifferentialIT.class, "TransactionDifferentialIT.OTHERS2.txt");

        /**
         * Statements that exclude their session for long from lines, or from the gateway's own
         * answers.
         */
        private static final List<String> ENDS = List.of(
                "SET TRANSACTION READ ONLY",
                "SET SESSION session_track_system_variables = '*'",
                "SET SESSION session_track_transaction_info = STATE",
                "SET SESSION session_track_state_change = 1",
                "SET completion_type = CHAIN",
                "LOCK TABLES accounts READ",
                "SET optimizer_trace = 'enabled=on'",
                "CREATE TEMPORARY TABLE accounts (id INT PRIMARY KEY, v INT)");

        private static final List<String> QUESTIONS = List.of(
                "SHOW WARNINGS",
                "SELECT FOUND_ROWS()",
                "SELECT ROW_COUNT()",
                "SELECT @@warning_count",
                "SELECT @@autocommit",
                "SELECT @@in_transaction",
                "SELECT DATABASE()",
                "SET @n = ROW_COUNT()",
                "SELECT @n",
                "SELECT QUERY FROM information_schema.OPTIMIZER_TRACE");

        private final Twins twins;
        private final Random random;
        private Twins.Statement read;

        Framed(Twins twins, Random random) throws Exception {
            this.twins = twins;
            this.random = random;
            twins.query("SELECT 1");
            twins.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            read = twins.prepare("SELECT * FROM accounts WHERE id = ?");
        }

        private String any(List<String> of) {
            return of.get(random.nextInt(of.size()));
        }

        void next() throws Exception {
            int dice = random.nextInt(400);
            if (dice < 240) {
                twins.query(FRAMES.get(Math.min(random.nextInt(FRAMES.size()), random.nextInt(FRAMES.size()))));
            } else if (dice < 340) {
                read(1 + random.nextInt(4));
            } else if (dice < 365) {
                twins.query(any(OTHERS));
            } else if (dice < 382) {
                twins.query(any(QUESTIONS));
            } else if (dice < 396) {
                twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_PING), "PING");
            } else if (dice < 398) {
                twins.send(Twins.text(CommandCode.COM_INIT_DB, "tx"), "INIT_DB");
            } else if (dice < 399) {
                if (random.nextInt(4) == 0) {
                    twins.query(any(ENDS));
                }
            } else {
                twins.send(Unpooled.buffer(1).writeByte(CommandCode.COM_RESET_CONNECTION), "RESET_CONNECTION");
                twins.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
                read = twins.prepare("SELECT * FROM accounts WHERE id = ?");
            }
        }

        private void read(int key) throws Exception {
            switch (random.nextInt(4)) {
                case 0 -> twins.query("SELECT v FROM tx.accounts WHERE id = " + key);
                case 1 -> twins.query("SELECT * FROM plain WHERE id = " + key);
                case 2 -> twins.execute(read, new StatementArguments().addInt64(key), "read " + key);
                default -> twins.query("SELECT * FROM accounts WHERE id = " + key);
            }
        }
    }
}
