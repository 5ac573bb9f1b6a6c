package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;

/** Commands of 16 MiB and more through a gateway in front of a MariaDB that accepts them. */
class RelayLongCommandsIT {
    private static final String LONG =
            "&useServerPrepStmts=true&emulateUnsupportedPstmts=false&maxAllowedPacket=1000000000";
    private static final int BYTES = 20 << 20;

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        store.run("CREATE OR REPLACE DATABASE sizes");
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void longBlobs_goUpAndComeDownWhole() throws Exception {
        int bytes = 40 << 20;
        try (Connection session = DriverManager.getConnection(gateway.jdbc("sizes") + LONG)) {
            try (Statement sql = session.createStatement()) {
                sql.execute("CREATE TABLE blobs (id INT PRIMARY KEY, content LONGBLOB)");
            }
            byte[] content = new byte[bytes];
            for (int i = 0; i < bytes; i++) {
                content[i] = (byte) (i * 31);
            }
            try (PreparedStatement insert = session.prepareStatement("INSERT INTO blobs VALUES (?, ?)")) {
                insert.setInt(1, 1);
                insert.setBinaryStream(2, new ByteArrayInputStream(content), bytes);
                insert.executeUpdate();
                insert.setInt(1, 2);
                insert.setBytes(2, content);
                insert.executeUpdate();
            }
            try (Statement sql = session.createStatement();
                    ResultSet rows = sql.executeQuery("SELECT content FROM blobs ORDER BY id")) {
                for (int i = 0; i < 2; i++) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getBytes(1)).isEqualTo(content);
                }
            }
            try (Statement sql = session.createStatement()) {
                String text = "x".repeat(20 << 20);
                sql.execute("INSERT INTO blobs VALUES (3, '" + text + "')");
                try (ResultSet rows = sql.executeQuery("SELECT LENGTH(content) FROM blobs WHERE id = 3")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(20 << 20);
                }
            }
        }
    }

    @Test
    void prepare_isAnsweredAndExecutedAsByTheStore() throws Exception {
        String text = "SELECT LENGTH('" + "x".repeat(BYTES) + "') + ?";
        for (String url : List.of(store.jdbc("sizes"), gateway.jdbc("sizes"))) {
            try (Connection session = DriverManager.getConnection(url + LONG);
                    PreparedStatement read = session.prepareStatement(text)) {
                for (int i = 0; i < 2; i++) {
                    read.setInt(1, i);
                    try (ResultSet rows = read.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getInt(1)).isEqualTo(BYTES + i);
                    }
                }
                assertThat(session.isValid(5)).isTrue();
            }
        }
    }

    @Test
    void prepare_refusedByTheStore_isItsErrorAndTheSessionLives() throws Exception {
        String text = "SELECT '" + "x".repeat(BYTES) + "' FROM nothing";
        try (Connection session = DriverManager.getConnection(gateway.jdbc("sizes") + LONG)) {
            assertThatThrownBy(() -> session.prepareStatement(text).execute())
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1146));
            assertThat(session.isValid(5)).isTrue();
        }
    }

    /** Names and users are never that long, so the command is refused unparsed. */
    @Test
    void commandWithoutAStatement_isError1153AndTheSessionLives() throws Exception {
        for (int code : List.of(CommandCode.COM_INIT_DB, CommandCode.COM_CHANGE_USER)) {
            try (TestClient client = gateway.client("sizes")) {
                ErrPacket error = Objects.requireNonNull(
                        client.command(code, "x".repeat(BYTES)).error());
                assertThat(error.code()).isEqualTo(1153);
                assertThat(error.sqlState()).isEqualTo("08S01");
                assertThat(client.query("SELECT 1").rows()).isEqualTo(List.of(List.of("1")));
            }
        }
    }
}
