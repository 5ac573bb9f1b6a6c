package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.StatementArguments;

/**
 * Settings of clients after they have connected, and their reads then: the same packets as without
 * the gateway, from lines where that is known.
 */
final class SessionSettingsIT extends Scenarios {
    private static final String READ = "SELECT id, name FROM item WHERE id = 5";
    private static final String MOMENTS = "SELECT * FROM item WHERE id = 5";

    private Twins open(RelayGateway through) throws Exception {
        return open(through, "");
    }

    /** Reads until a line answers, which the catalog may delay; every reply is compared. */
    private static void awaitLine(Twins twins, String read) {
        soon(read).untilAsserted(() -> {
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
     * The store has not received the types, so it could not read the text as the client means it.
     */
    @Test
    void textWithoutType_whoseTypeALineAnswered_mustBePreparedAgainInOtherCharacterSets() throws Exception {
        String read = "SELECT id, name FROM texts WHERE k = ?";
        try (Twins twins = open("")) {
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
     * The gateway answered the PREPARE, and the store refuses it when the values arrive, a command
     * without a reply.
     */
    @Test
    void valuesAhead_ofAStatementThatTheStoreRefuses_areAnsweredByTheExecution() throws Exception {
        String read = "SELECT v FROM dropped WHERE id = ?";
        try (Twins twins = open("")) {
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

    /** MariaDB resets a session before it checks the proof of a COM_CHANGE_USER. */
    @Test
    @DisabledIf("org.keyline.gateway.fixtures.MariaDb#isMySql")
    void refusedChangeOfTheUser_resetsTheSession() throws Exception {
        try (Twins twins = open("")) {
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
        try (Twins twins = open("")) {
            twins.query(text);
        }
    }

    /** A result within the transaction is a part of its state, also that of a question. */
    @Test
    void trackedTransaction_showsNoResultOfAQuestion() throws Exception {
        try (Twins twins = open("track=1")) {
            twins.throughOnly(
                    "CREATE OR REPLACE PROCEDURE begins() BEGIN START TRANSACTION; SIGNAL SQLSTATE '45000'; END");
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

    /** The store itself reports that both names are the same zone. */
    @Test
    void moments_underTheSystemsZoneByItsOffset_comeFromLinesWhereTheStoreProvesIt() throws Exception {
        try (Twins twins = open("")) {
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
        try (Twins admin = open("")) {
            admin.throughOnly("SET GLOBAL time_zone = '+03:00'");
            try (RelayGateway other = RelayGateway.start(store());
                    Twins twins = open(other)) {
                awaitLine(twins, MOMENTS);
                // Lines are loaded with the zone of the first connection, and new sessions begin in
                // another. The flush discards the answers about the settings of earlier logins.
                admin.throughOnly("SET GLOBAL time_zone = 'SYSTEM'");
                twins.throughOnly("KEYLINE FLUSH ALL");
                awaitLine(twins, MOMENTS);
                try (Twins later = open(other)) {
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
}
