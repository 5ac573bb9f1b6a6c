package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Settings of clients after they have connected, and their reads then: the same packets as without
 * the gateway, from lines where that is known.
 */
class SessionSettingsIT {
    private static final String READ = "SELECT id, name FROM item WHERE id = 5";
    private static final String MOMENTS = "SELECT * FROM item WHERE id = 5";

    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions("tables.settings.part.prefix=1");

    @BeforeAll
    static void start() throws Exception {
        try (Twins twins = SESSIONS.open()) {
            for (String sql : new String[] {
                "DROP DATABASE IF EXISTS settings",
                "CREATE DATABASE settings CHARACTER SET utf8mb4",
                "CREATE TABLE settings.item (id INT PRIMARY KEY, name VARCHAR(40), made TIMESTAMP NULL, big BIGINT)",
                "INSERT INTO settings.item VALUES (5, 'five', '2026-07-01 12:00:00', 7)",
                "CREATE TABLE settings.aside (id INT PRIMARY KEY, v VARCHAR(40))",
                "INSERT INTO settings.aside VALUES (1, 'x'), (2, 'x'), (3, 'x')",
                "CREATE TABLE settings.part (item INT, no INT, name VARCHAR(40), PRIMARY KEY (item, no))",
                "INSERT INTO settings.part VALUES (1, 1, 'a'), (1, 2, 'b'), (1, 3, 'c')",
                "CREATE PROCEDURE settings.begins() BEGIN START TRANSACTION; SIGNAL SQLSTATE '45000'; END"
            }) {
                twins.throughOnly(sql);
            }
        }
    }

    private static Twins twins() throws Exception {
        return SESSIONS.open(options -> options.database("settings"));
    }

    private static Twins twins(int capability) throws Exception {
        return SESSIONS.open(
                options -> options.database("settings").capabilities(ClientOptions.DEFAULT_CAPABILITIES | capability));
    }

    /** Reads until a line answers, which the catalog may delay; every reply is compared. */
    private static void awaitLine(Twins twins, String read) {
        await(read).untilAsserted(() -> {
            twins.query(read);
            assertThat(twins.readable("KEYLINE LAST")).contains("source line");
        });
    }

    private static void assertFromStore(Twins twins, String read) throws Exception {
        for (int i = 0; i < 4; i++) {
            twins.query(read);
            assertThat(twins.readable("KEYLINE LAST")).contains("source store");
        }
    }

    /**
     * The statements of Sequelize, mysql-connector-python and Django as captured; those of other
     * drivers as they are known.
     */
    @ParameterizedTest
    @CsvFileSource(resources = "SessionSettingsIT.set_byADriver_keepsHits.txt", delimiter = '\t', quoteCharacter = '~')
    void set_byADriver_keepsHits(String set) throws Exception {
        try (Twins twins = twins()) {
            assertThat(twins.query(set).isError()).isFalse();
            awaitLine(twins, READ);
        }
    }

    /** MariaDB resets a session before it checks the proof of a COM_CHANGE_USER. */
    @Test
    @DisabledIf("org.keyline.gateway.fixtures.MariaDb#isMySql")
    void refusedChangeOfTheUser_resetsTheSession() throws Exception {
        try (Twins twins = twins()) {
            Twins.Statement handle = twins.prepare(READ);
            twins.query("SET sql_select_limit = 1, time_zone = '+05:00'");
            String page = "SELECT no FROM part WHERE item = 1 ORDER BY no";
            awaitLine(twins, page);
            twins.send(Twins.text(CommandCode.COM_CHANGE_USER, "nobody\0\0settings\0"), "COM_CHANGE_USER");
            awaitLine(twins, page);
            awaitLine(twins, MOMENTS);
            assertThat(twins.executeThroughOnly(handle, new StatementArguments())
                            .isError())
                    .isTrue();
        }
    }

    /** The row of the question at the login counts neither for FOUND_ROWS() nor for ROW_COUNT(). */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT ROW_COUNT(); SELECT 1", "DO 1; SELECT ROW_COUNT()", "SELECT 1; SELECT ROW_COUNT()"})
    void rowCount_inTheFirstText_isThatOfTheLogin(String text) throws Exception {
        try (Twins twins = twins(Capabilities.CLIENT_MULTI_STATEMENTS)) {
            twins.query(text);
        }
    }

    /** A result within the transaction is a part of its state, also that of a question. */
    @Test
    void trackedTransaction_showsNoResultOfAQuestion() throws Exception {
        try (Twins twins = twins(Capabilities.CLIENT_SESSION_TRACK)) {
            for (String sql : List.of(
                    "SET session_track_transaction_info = STATE",
                    "BEGIN",
                    "SET time_zone = '+05:00'",
                    READ,
                    "SELECT 1",
                    "ROLLBACK",
                    READ,
                    "SET TRANSACTION READ ONLY",
                    "CALL begins()",
                    "SELECT 1",
                    "COMMIT",
                    READ)) {
                twins.query(sql);
            }
        }
    }

    @Test
    void typingError_keepsHits() throws Exception {
        try (Twins twins = twins()) {
            awaitLine(twins, READ);
            twins.query("SELEC id FROM item");
            twins.query("item id");
            awaitLine(twins, READ);
        }
    }

    /**
     * A read clears the warnings of SHOW WARNINGS, even if the store has not seen it; most of the
     * other statements clear nothing.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELEC 1",
                "SELECT nothing FROM item",
                "SELECT 1 + 'x'",
                "INSERT IGNORE INTO item (id) VALUES (5)",
                "USE nowhere",
                "SELECT 1 + 'x'; SELECT 1"
            })
    void diagnosticsBehindALine_areGone(String leaves) throws Exception {
        try (Twins twins = twins(Capabilities.CLIENT_MULTI_STATEMENTS)) {
            awaitLine(twins, READ);
            Twins.Statement known = twins.prepare(READ);
            for (String between : new String[] {
                "START TRANSACTION",
                "COMMIT",
                "SET @a = 1",
                "SET autocommit = 0",
                "ROLLBACK",
                "SET autocommit = 1",
                "USE settings"
            }) {
                twins.query(leaves);
                twins.query(READ);
                twins.query(between);
                twins.query("SHOW WARNINGS");
                twins.query(leaves);
                twins.query(READ);
                twins.send(Twins.text(CommandCode.COM_PING, ""), "PING");
                twins.query("SELECT @@error_count, @@warning_count");
                twins.query(leaves);
                twins.query(between);
                twins.query("SHOW ERRORS");
                // The gateway itself answers the PREPARE of a known statement.
                twins.query(leaves);
                twins.close(known);
                known = twins.prepare(READ);
                twins.query(between);
                twins.query("SHOW COUNT(*) WARNINGS");
                twins.query("SELECT FOUND_ROWS()");
            }
        }
    }

    /**
     * FOUND_ROWS() shows the count of a read that the store has not seen. Statements in between
     * that are no SELECT for the store do not change that, and keep their errors.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "SessionSettingsIT.foundRowsBehindALine_tellOfIt.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void foundRowsBehindALine_tellOfIt(String between) throws Exception {
        if (MariaDb.isMySql() && (between.contains("RETURNING") || between.startsWith("VALUES"))) {
            return;
        }
        try (Twins twins = twins()) {
            for (String read : new String[] {
                "SELECT name FROM item WHERE id = 999", "SELECT name FROM part WHERE item = 1 ORDER BY no"
            }) {
                for (String write : new String[] {"DO 1", "UPDATE aside SET v = 3 WHERE id = 9"}) {
                    awaitLine(twins, read);
                    twins.query("SELECT 1 UNION SELECT 2");
                    twins.query(read);
                    twins.query(write);
                    twins.query(between);
                    twins.query("SELECT FOUND_ROWS()");
                    twins.query("SELECT @@error_count, @@warning_count");
                    awaitLine(twins, read);
                    twins.query("SELECT 1");
                    twins.query(read);
                    twins.query(between);
                    twins.query("SET @a = FOUND_ROWS()");
                    twins.query("SELECT @a");
                }
            }
        }
    }

    @Test
    void warningsBehindALineAndAPrepareThatFails_areThoseOfThePrepare() throws Exception {
        try (Twins twins = twins()) {
            awaitLine(twins, READ);
            twins.query(READ);
            twins.prepare("SELECT nothing FROM aside WHERE id = ?");
            twins.query("SHOW WARNINGS");
            twins.query("START TRANSACTION READ ONLY");
            twins.query(READ);
            twins.send(Twins.text(CommandCode.COM_PING, ""), "PING");
            twins.query("SELECT ROW_COUNT()");
        }
    }

    /**
     * In a transaction that lines have answered so far, nothing runs between a command of the store
     * and a query about it. Later reads are nevertheless of the moment of the transaction's first
     * read.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SHOW WARNINGS",
                "SHOW COUNT(*) ERRORS",
                "show warnings limit 1;",
                "SELECT ROW_COUNT()",
                "SELECT @@warning_count, ROW_COUNT(), @@session.error_count",
                "SET @n = ROW_COUNT()",
                "SELECT LAST_INSERT_ID()",
                "GET DIAGNOSTICS @n = ROW_COUNT",
                "GET DIAGNOSTICS CONDITION 1 @n = MESSAGE_TEXT"
            })
    void diagnosticsInATransactionFromLines_areThoseOfTheCommandBefore(String asks) throws Exception {
        try (Twins twins = twins()) {
            awaitLine(twins, READ);
            for (String begin : new String[] {"START TRANSACTION", "SET autocommit = 0"}) {
                for (String between :
                        new String[] {"prepare", "prepare and ping", "SAVEPOINT s", "ROLLBACK TO nowhere", "hit"}) {
                    awaitLine(twins, READ);
                    twins.query("SET @n = 7");
                    twins.query(begin);
                    twins.query(READ);
                    if (between.startsWith("prepare")) {
                        twins.prepare("SELECT nothing FROM aside WHERE id = ?");
                    } else {
                        twins.query(between.equals("hit") ? READ : between);
                    }
                    if (between.endsWith("ping")) {
                        twins.send(Twins.text(CommandCode.COM_PING, ""), "PING");
                    }
                    twins.query(asks);
                    twins.query("SHOW WARNINGS");
                    twins.query(READ);
                    twins.query("SELECT @n, COUNT(*) FROM aside");
                    twins.query("SHOW WARNINGS");
                    twins.query("COMMIT");
                    twins.query("SET autocommit = 1");
                }
            }
        }
    }

    /** ROW_COUNT() also shows the effect of commands that are no statements. */
    @ParameterizedTest
    @ValueSource(ints = {CommandCode.COM_STMT_RESET, CommandCode.COM_STMT_CLOSE, CommandCode.COM_PING})
    void rowCountBehindALineAndACommand_isThatOfTheCommand(int command) throws Exception {
        try (Twins twins = twins()) {
            awaitLine(twins, READ);
            // The store prepares the first, the gateway the second.
            for (Twins.Statement known : List.of(twins.prepare(READ), twins.prepare(READ))) {
                for (String before : new String[] {READ, "DO 1", "INSERT IGNORE INTO aside VALUES (1, 'x')"}) {
                    for (String asked : new String[] {"SELECT ROW_COUNT()", "SET @n = ROW_COUNT()", "SHOW WARNINGS"}) {
                        twins.query(before);
                        if (command == CommandCode.COM_PING) {
                            twins.send(Twins.text(command, ""), "PING");
                        } else if (command == CommandCode.COM_STMT_RESET) {
                            twins.reset(known);
                        } else {
                            twins.close(known);
                        }
                        twins.query(asked);
                        twins.query("SELECT @n, FOUND_ROWS()");
                        // The gateway's own query before a PREPARE does not count as a command of
                        // the session.
                        twins.query("SET sql_select_limit = (SELECT 1000)");
                        twins.query("SELECT @n");
                        if (command == CommandCode.COM_STMT_RESET) {
                            twins.reset(known);
                            twins.close(twins.prepare("SELECT name, " + before.length() + " FROM item WHERE id = ?"));
                            twins.query("SELECT ROW_COUNT()");
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET sql_auto_is_null = 1",
                "SET optimizer_switch = 'index_merge=off'",
                "SET max_join_size = 1000",
                "SET profiling = 1",
                "SET character_set_results = latin1",
                "SET sql_mode = (SELECT 'PAD_CHAR_TO_FULL_LENGTH')"
            })
    void setThatMayMatter_forwards(String set) throws Exception {
        try (Twins twins = twins()) {
            awaitLine(twins, READ);
            assertThat(twins.query(set).isError()).isFalse();
            assertFromStore(twins, READ);
        }
    }

    /**
     * The gateway answered the PREPARE, so the store must read its text with the session's settings
     * of that time.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "EMPTY_STRING_IS_NULL",
                "ANSI_QUOTES,EMPTY_STRING_IS_NULL",
                "ANSI_QUOTES,PAD_CHAR_TO_FULL_LENGTH",
                "NO_BACKSLASH_ESCAPES"
            })
    void preparedUnderAnotherMode_isReadAsThen(String mode) throws Exception {
        String read = "SELECT name FROM item WHERE id = ?";
        StatementArguments five = new StatementArguments().addInt64(5);
        try (Twins twins = twins()) {
            awaitLine(twins, "SELECT name FROM item WHERE id = 5");
            twins.execute(twins.prepare(read), five, read);
            List<Twins.Statement> known = List.of(twins.prepare(read), twins.prepare(read), twins.prepare(read));
            twins.query("SET sql_mode = 4");
            twins.execute(known.get(0), five, read);
            twins.query("SET sql_mode = '" + mode + "'");
            twins.execute(known.get(1), five, read);
            twins.query("SELECT @@sql_mode");
            twins.query("SET sql_mode = DEFAULT");
            // The command has no reply, even if the gateway must query the store before.
            twins.sendAhead(known.get(2), Twins.longData("5"));
            twins.query("SELECT 1");
            twins.execute(known.get(2), new StatementArguments().add(ColumnType.LONGLONG, new byte[0]), read);
        }
    }

    /**
     * MariaDB shows the mode in the flags, also for a statement that only the gateway has prepared.
     */
    @ParameterizedTest
    @ValueSource(strings = {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"})
    void resetUnderAMode_showsTheModeInItsFlags(String mode) throws Exception {
        try (Twins twins = twins()) {
            awaitLine(twins, READ);
            for (Twins.Statement known : List.of(twins.prepare(READ), twins.prepare(READ))) {
                twins.query("SET sql_mode = '" + mode + "'");
                twins.reset(known);
                twins.query("SET sql_mode = DEFAULT");
                twins.reset(known);
            }
        }
    }

    /**
     * The gateway's own replies have the flags of the session, not those of an earlier statement's
     * mode.
     */
    @ParameterizedTest
    @ValueSource(strings = {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"})
    @DisabledIf("org.keyline.gateway.fixtures.MariaDb#isMySql")
    void modeOfOneStatement_isNotInTheFlagsOfTheNextReply(String mode) throws Exception {
        String set = "SET sql_mode = '" + mode + "'";
        for (String before : List.of("DO 1", set)) {
            try (Twins twins = twins()) {
                twins.query(before);
                awaitLine(twins, READ);
                for (String frame : List.of("BEGIN", "COMMIT", "BEGIN", "COMMIT")) {
                    twins.query(frame);
                }
            }
        }
        for (String before : List.of("DO 1", set)) {
            for (String of : List.of(mode, "")) {
                try (Twins twins = twins()) {
                    twins.query(before);
                    twins.query(READ);
                    twins.query("SET STATEMENT sql_mode = '" + of + "' FOR " + READ);
                    twins.query("BEGIN");
                    twins.query("COMMIT");
                }
            }
        }
    }

    /** An error that closes the store session is sent to the client, also within a transaction. */
    @ParameterizedTest
    @ValueSource(strings = {"DO 1", "BEGIN", "SET autocommit = 0"})
    void errorThatEndsTheSession_isTheStores(String begin) throws Exception {
        try (Twins twins = twins()) {
            twins.throughOnly("CREATE TABLE IF NOT EXISTS keyless (v INT)");
            twins.query(begin);
            twins.query("INSERT INTO keyless VALUES (1)");
            twins.query("KILL CONNECTION_ID()");
        }
    }

    /**
     * A client may omit types on later executions, and MariaDB reads texts by the character sets of
     * the execution that sent them.
     */
    @Test
    void textWithoutType_isReadByTheCharacterSetsOfItsType() throws Exception {
        StatementArguments typed = new StatementArguments().addText("\u00e9");
        try (Twins twins = twins()) {
            Twins.Statement asked = twins.prepare("SELECT HEX(CONVERT(? USING utf8mb4))");
            twins.execute(asked, typed, "typed");
            for (String names : List.of("latin1", "utf8mb4", "latin1")) {
                twins.query("SET NAMES " + names);
                twins.executeUntyped(asked, "\u00e9");
                twins.executeUntyped(asked, "e");
            }
            twins.execute(asked, typed, "typed again");
            twins.query("SET NAMES utf8mb4");
            twins.executeUntyped(asked, "\u00e9");
        }
    }

    /**
     * The store has not received the types, so it could not read the text as the client means it.
     */
    @Test
    void textWithoutType_whoseTypeALineAnswered_mustBePreparedAgainInOtherCharacterSets() throws Exception {
        String read = "SELECT id, name FROM texts WHERE k = ?";
        try (Twins twins = twins()) {
            twins.throughOnly(
                    "CREATE OR REPLACE TABLE texts (k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, id INT, name INT)");
            twins.throughOnly("INSERT INTO texts VALUES ('five', 5, 5), ('six', 6, 6)");
            awaitLine(twins, "SELECT id, name FROM texts WHERE k = 'five'");
            Twins.Statement known = twins.prepare(read);
            for (int i = 0; i < 3; i++) {
                twins.execute(known, new StatementArguments().addText("five"), read);
            }
            twins.executeUntyped(known, "six");
            Twins.Statement unseen;
            int tries = 0;
            do {
                // A line answers its first execution, unless the line has just expired.
                assertThat(tries++).isLessThan(20);
                unseen = twins.prepare(read);
                twins.execute(unseen, new StatementArguments().addText("five"), read);
            } while (!twins.readable("KEYLINE LAST").contains("source line"));
            twins.query("SET NAMES latin1");
            assertThat(Twins.readable(twins.executeUntypedThroughOnly(unseen, "six")))
                    .contains("re-prepared");
            twins.query("SET NAMES utf8mb4");
            twins.executeUntyped(unseen, "six");
        }
    }

    /**
     * Reads that lines have answered may run again at the store. Values from
     * COM_STMT_SEND_LONG_DATA belong to the client's next execution.
     */
    @ParameterizedTest
    @ValueSource(strings = {"START TRANSACTION", "SET autocommit = 0", "DO 1"})
    void valuesAhead_areNotTakenByAReadThatIsRunAgain(String begin) throws Exception {
        String read = "SELECT id, name FROM item WHERE id = ?";
        StatementArguments five = new StatementArguments().addInt64(5);
        StatementArguments ahead = new StatementArguments().add(ColumnType.LONGLONG, new byte[0]);
        try (Twins twins = twins()) {
            awaitLine(twins, "SELECT id, name FROM item WHERE id = 5");
            for (String between : new String[] {"SELECT COUNT(*) FROM aside", "SHOW WARNINGS", "SELECT FOUND_ROWS()"}) {
                for (boolean atTheStore : new boolean[] {false, true}) {
                    Twins.Statement known = twins.prepare(read);
                    if (atTheStore) {
                        twins.sendAhead(known, Twins.longData("5"));
                        twins.execute(known, ahead, read);
                    }
                    twins.query(begin);
                    twins.execute(known, five, read);
                    twins.sendAhead(known, Twins.longData("1"));
                    twins.query(between);
                    twins.query("SELECT MAX(id) FROM aside");
                    twins.execute(known, ahead, read);
                    twins.execute(known, five, read);
                    twins.query("COMMIT");
                    twins.query("SET autocommit = 1");
                    twins.close(known);
                }
            }
        }
    }

    /**
     * The gateway answered the PREPARE, and the store refuses it when the values arrive, a command
     * without a reply.
     */
    @Test
    void valuesAhead_ofAStatementThatTheStoreRefuses_areAnsweredByTheExecution() throws Exception {
        String read = "SELECT v FROM dropped WHERE id = ?";
        try (Twins twins = twins()) {
            twins.throughOnly("CREATE OR REPLACE TABLE dropped (id INT PRIMARY KEY, v INT)");
            twins.throughOnly("INSERT INTO dropped VALUES (5, 1)");
            awaitLine(twins, "SELECT v FROM dropped WHERE id = 5");
            twins.execute(twins.prepare(read), new StatementArguments().addInt64(5), read);
            Twins.Statement known = twins.prepare(read);
            twins.throughOnly("DROP TABLE dropped");
            twins.sendAhead(known, Twins.longData("5"));
            twins.query("SELECT 1");
            // MariaDB, which has prepared it, has another error.
            Answer refused =
                    twins.executeThroughOnly(known, new StatementArguments().add(ColumnType.LONGLONG, new byte[0]));
            assertThat(refused.isError()).isTrue();
            assertThat(twins.readable("SHOW WARNINGS")).contains("dropped' doesn't exist");
            twins.query("SELECT 2");
        }
    }

    @Test
    void momentsInAnotherTimeZone_comeFromTheStore() throws Exception {
        try (Twins twins = twins()) {
            awaitLine(twins, MOMENTS);
            twins.query("SET time_zone = '+05:00'");
            assertFromStore(twins, MOMENTS);
            assertThat(twins.readable("KEYLINE EXPLAIN " + MOMENTS)).contains("after forwarding", "TIMESTAMP");
            awaitLine(twins, "SELECT big, name FROM item WHERE id = 5");
            twins.query("SET time_zone = DEFAULT");
            awaitLine(twins, MOMENTS);
        }
    }

    /** The store itself reports that both names are the same zone. */
    @Test
    void moments_underTheSystemsZoneByItsOffset_comeFromLinesWhereTheStoreProvesIt() throws Exception {
        try (Twins twins = twins()) {
            boolean utc = twins.readable("SELECT @@system_time_zone, @@GLOBAL.time_zone")
                    .contains("UTC SYSTEM");
            twins.query("SET time_zone = '+00:00'");
            if (utc) {
                awaitLine(twins, MOMENTS);
            } else {
                assertFromStore(twins, MOMENTS);
            }
        }
    }

    @Test
    void moments_whereLinesAreLoadedByAnOffset_comeFromLinesUnderThatOnly() throws Exception {
        try (Twins admin = twins()) {
            admin.throughOnly("SET GLOBAL time_zone = '+03:00'");
            try (RelayGateway other = RelayGateway.start(SESSIONS.store());
                    Twins twins = SESSIONS.open(other, options -> options.database("settings"))) {
                awaitLine(twins, MOMENTS);
                // Lines are loaded with the zone of the first connection, and new sessions begin in
                // another.
                admin.throughOnly("SET GLOBAL time_zone = 'SYSTEM'");
                try (Twins later = SESSIONS.open(other, options -> options.database("settings"))) {
                    assertFromStore(later, MOMENTS);
                    later.query("SET time_zone = '+00:00'");
                    assertFromStore(later, MOMENTS);
                    later.query("SET time_zone = '+03:00'");
                    awaitLine(later, MOMENTS);
                }
            } finally {
                admin.throughOnly("SET GLOBAL time_zone = 'SYSTEM'");
            }
        }
    }

    @Test
    void selectLimit_isHonouredWhereTheFirstRowsAreCertain() throws Exception {
        String ordered = "SELECT no, name FROM part WHERE item = 1 ORDER BY no DESC";
        String own = ordered + " LIMIT 3";
        try (Twins twins = twins()) {
            for (String limit : new String[] {"2", "1", "DEFAULT"}) {
                twins.query("SET sql_select_limit = " + limit);
                awaitLine(twins, ordered);
                awaitLine(twins, own);
            }
            awaitLine(twins, "SELECT no FROM part WHERE item = 1");
            twins.query("SET sql_select_limit = 2");
            assertFromStore(twins, "SELECT no FROM part WHERE item = 1");
            // Even the query of the session's variables has no row then.
            twins.query("SET sql_select_limit = 0");
            assertFromStore(twins, ordered);
        }
    }

    /**
     * MySQL Connector/J requests text as it is stored, and MariaDB stores it in latin1 by default.
     */
    @Test
    void textAsStored_ofColumnsInLatin1_comesFromLines() throws Exception {
        StringBuilder bytes = new StringBuilder();
        for (int code = 0; code < 256; code++) {
            bytes.append(String.format("%02x", code));
        }
        try (Twins twins = twins()) {
            twins.throughOnly("DROP TABLE IF EXISTS latin");
            twins.throughOnly("CREATE TABLE latin (k VARCHAR(20) PRIMARY KEY, text TEXT, kind ENUM('ä', 'b'),"
                    + " wide VARCHAR(20) CHARACTER SET utf8mb4, raw VARBINARY(9), n INT) CHARACTER SET latin1");
            twins.throughOnly("INSERT INTO latin VALUES ('e', _latin1 x'" + bytes + "', 'ä', 'é漢', x'ff', 1),"
                    + " ('a', REPEAT('ÿ', 300), NULL, NULL, NULL, NULL)");
            twins.query("SET character_set_results = NULL");
            for (String columns : new String[] {"*", "n, text", "kind, wide, k", "1"}) {
                String read = "SELECT " + columns + " FROM latin WHERE k = ";
                Twins.Statement prepared = twins.prepare(read + "?");
                for (String key : new String[] {"e", "a", "none"}) {
                    awaitLine(twins, read + "'" + key + "'");
                    await().untilAsserted(() -> {
                        twins.execute(prepared, new StatementArguments().addText(key), read + key);
                        assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                    });
                }
            }
            twins.throughOnly("CREATE OR REPLACE TABLE greek (k INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET greek)");
            assertFromStore(twins, "SELECT v FROM greek WHERE k = 1");
        }
    }

    /** mysql2 for Node sends every number in this way. */
    @Test
    void wholeNumberAsDouble_isTheKey() throws Exception {
        try (Twins twins = twins()) {
            Twins.Statement read = twins.prepare("SELECT id, name FROM item WHERE id = ?");
            for (double id : new double[] {5, 6, -5, -0.0}) {
                await().untilAsserted(() -> {
                    twins.execute(read, new StatementArguments().addFloat64(id), "id " + id);
                    assertThat(twins.readable("KEYLINE LAST")).contains("source line");
                });
            }
            for (double id : new double[] {5.5, 4.999999999999999, 1e300, 0x1p53}) {
                twins.execute(read, new StatementArguments().addFloat64(id), "id " + id);
                assertThat(twins.readable("KEYLINE LAST")).contains("source store");
            }
        }
    }

    /**
     * Lines have no value that the store computes per reader: MariaDB accepts CURRENT_USER() as the
     * value of a column.
     */
    /**
     * Replies within a transaction then describe its statements; replies outside of one have no
     * such description.
     */
    @ParameterizedTest
    @ValueSource(strings = {"STATE", "CHARACTERISTICS"})
    void transactionInfo_ofASessionThatIsTold_isTheStores(String received) throws Exception {
        try (Twins twins = twins(Capabilities.CLIENT_SESSION_TRACK)) {
            twins.query("SET session_track_transaction_info = '" + received + "'");
            assertFromStore(twins, READ);
            twins.query("START TRANSACTION");
            assertFromStore(twins, READ);
            twins.query("COMMIT");
            assertFromStore(twins, READ);
        }
    }

    @Test
    void columnThatIsComputedForEachReader_comesFromTheStore() throws Exception {
        if (MariaDb.isMySql()) {
            return;
        }
        try (Twins twins = twins()) {
            twins.throughOnly("DROP TABLE IF EXISTS computed");
            twins.throughOnly("CREATE TABLE computed (id INT PRIMARY KEY, at TIMESTAMP NULL, doc VARCHAR(40),"
                    + " reader VARCHAR(80) AS (CURRENT_USER()) VIRTUAL, day VARCHAR(40) AS (CONCAT(at)) VIRTUAL,"
                    + " again VARCHAR(90) AS (CONCAT(reader, '')) VIRTUAL, first VARCHAR(40) AS (LEFT(doc, 3)) VIRTUAL,"
                    + " kept VARCHAR(40) AS (UPPER(doc)) PERSISTENT)");
            twins.throughOnly("INSERT INTO computed (id, at, doc) VALUES (1, '2026-01-01 00:00:00', 'text')");
            awaitLine(twins, "SELECT id, at, doc, first, kept FROM computed WHERE id = 1");
            for (String column : new String[] {"reader", "day", "again"}) {
                assertFromStore(twins, "SELECT " + column + " FROM computed WHERE id = 1");
            }
        }
    }

    /** A line could not have the warnings of a computed column. */
    @Test
    void columnWhoseComputationWarns_comesFromTheStore() throws Exception {
        try (Twins twins = twins()) {
            twins.throughOnly("DROP TABLE IF EXISTS warned");
            twins.throughOnly("CREATE TABLE warned (id INT PRIMARY KEY, doc VARCHAR(20),"
                    + " n BIGINT AS (CAST(doc AS SIGNED)) VIRTUAL, part DOUBLE AS (1 / id) VIRTUAL)");
            twins.throughOnly("INSERT IGNORE INTO warned (id, doc) VALUES (0, '1'), (1, '12'), (2, 'x')");
            awaitLine(twins, "SELECT n FROM warned WHERE id = 1");
            assertFromStore(twins, "SELECT n FROM warned WHERE id = 2");
            assertFromStore(twins, "SELECT part FROM warned WHERE id = 0");
        }
    }
}
