package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.internal.PlatformDependent;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * A client that prepares statements and closes none.
 *
 * <p>{@code -Dkeyline.handles.leaked=N} sets the number.
 */
class LeakedHandlesIT {
    private static final int LEAKED = Integer.getInteger("keyline.handles.leaked", 2_500);
    private static final int MAX_AT_STORE = 1_024;
    private static final int VALUE_BYTES = 4 << 20;
    private static final String OPTIONS = "&useServerPrepStmts=true&cachePrepStmts=false&useCursorFetch=true";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        gateway = RelayGateway.start(store, "limits.preparedStatementsPerSession=100000");
        store.run(
                "DROP DATABASE IF EXISTS leaked",
                "CREATE DATABASE leaked CHARACTER SET utf8mb4",
                "CREATE TABLE leaked.t (id INT PRIMARY KEY, v VARCHAR(20))",
                "INSERT INTO leaked.t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static Connection through() throws SQLException {
        Connection connection = DriverManager.getConnection(gateway.jdbc("") + OPTIONS);
        connection.setCatalog("leaked");
        return connection;
    }

    /** Prepares a statement that is no read by key, so that the store prepares and executes it. */
    private static PreparedStatement prepare(Connection connection, int number) throws SQLException {
        return connection.prepareStatement("SELECT COUNT(*) + ?, '" + number + " é' FROM t WHERE v > 'a'");
    }

    private static List<PreparedStatement> leak(Connection connection, int count) throws SQLException {
        List<PreparedStatement> statements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statements.add(prepare(connection, i));
        }
        return statements;
    }

    private static long handlesAtStore() throws SQLException {
        try (Connection straight = store.connect("")) {
            return status(straight, "Prepared_stmt_count");
        }
    }

    private static String answer(PreparedStatement statement, int value) throws SQLException {
        statement.setInt(1, value);
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1) + " " + rows.getString(2);
        }
    }

    @Test
    void handlesThatAreNeverClosed_areBoundedAtTheStore_andAllCanBeExecuted() throws SQLException {
        long before = handlesAtStore();
        Random random = new Random(1);
        try (Connection connection = through()) {
            List<PreparedStatement> statements = leak(connection, LEAKED);
            assertThat(handlesAtStore() - before).isLessThanOrEqualTo(MAX_AT_STORE + 8);
            for (int i = 0; i < 500; i++) {
                int number = i == 0 ? 0 : random.nextInt(LEAKED);
                assertThat(answer(statements.get(number), i)).isEqualTo((2 + i) + " " + number + " é");
            }
            assertThat(handlesAtStore() - before).isLessThanOrEqualTo(MAX_AT_STORE + 8);
            statements.get(1).close();
            assertThat(answer(statements.get(0), 7)).isEqualTo("9 0 é");
        }
    }

    @Test
    void handleWithACursorOrLongData_staysWhileOthersAreClosed() throws SQLException {
        try (Connection connection = through();
                PreparedStatement cursor =
                        connection.prepareStatement("SELECT v FROM t WHERE v > '' ORDER BY v, id + ?");
                PreparedStatement longData =
                        connection.prepareStatement("SELECT CONCAT(?, COUNT(*)) FROM t WHERE v > ''")) {
            cursor.setInt(1, 1);
            cursor.setFetchSize(1);
            try (ResultSet rows = cursor.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("a");
                leak(connection, MAX_AT_STORE + 200);
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("b");
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("c");
                assertThat(rows.next()).isFalse();
            }
            leak(connection, MAX_AT_STORE + 200);
            longData.setBinaryStream(1, new ByteArrayInputStream("long".getBytes(StandardCharsets.UTF_8)));
            try (ResultSet rows = longData.executeQuery()) {
                rows.next();
                assertThat(rows.getString(1)).isEqualTo("long3");
            }
        }
    }

    /** Otherwise, no client could prepare a statement after some thousand losses. */
    @Test
    void preparesWhoseStoreSessionIsLost_leaveTheirPlacesToOthers() throws Exception {
        try (TcpProxy proxy = new TcpProxy(store.address());
                RelayGateway behind = RelayGateway.start(store, "store.url=mysql://127.0.0.1:" + proxy.port())) {
            for (int i = 0; i < 3; i++) {
                proxy.holdNext(request -> request.contains("'lost'"));
                try (TestClient client = behind.client("leaked")) {
                    CompletableFuture<Void> lost = CompletableFuture.runAsync(() ->
                            assertThatThrownBy(() -> client.prepare("SELECT 'lost', COUNT(*) FROM t WHERE v > ?")));
                    soon("the PREPARE").until(proxy::holds);
                    proxy.cutHeld();
                    lost.get(1, TimeUnit.MINUTES);
                }
            }
            try (Connection connection = behind.connect("")) {
                soon("the places").until(() -> status(connection, "Keyline_prepared_statements") == 0);
            }
        }
    }

    /** The store refuses to prepare the statement when it needs the value. */
    @Test
    void longDataOfAStatementThatTheStoreRefuses_staysNotInMemory() throws Exception {
        store.run("CREATE TABLE leaked.gone (id INT PRIMARY KEY, v VARCHAR(20))");
        String sql = "SELECT v FROM gone WHERE id = ?";
        try (TestClient first = gateway.client("leaked");
                TestClient second = gateway.client("leaked")) {
            int[] prepared = new int[1];
            soon("a PREPARE that the gateway answers").until(() -> {
                assertThat(first.execute(first.prepare(sql), 1).error()).isNull();
                long atStore = handlesAtStore();
                prepared[0] = second.prepare(sql).id();
                return handlesAtStore() == atStore;
            });
            int id = prepared[0];
            store.run("DROP TABLE leaked.gone");
            ByteBuf value = Unpooled.buffer()
                    .writeByte(CommandCode.COM_STMT_SEND_LONG_DATA)
                    .writeIntLE(id)
                    .writeShortLE(0)
                    .writeZero(VALUE_BYTES);
            ByteBuf reset =
                    Unpooled.buffer().writeByte(CommandCode.COM_STMT_RESET).writeIntLE(id);
            long before = 0;
            for (int i = 0; i < 40; i++) {
                second.command(value);
                assertThat(second.command(reset).error()).isNull();
                before = i == 4 ? PlatformDependent.usedDirectMemory() : before;
            }
            assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(8L * VALUE_BYTES);
        }
    }

    /**
     * The store reads a statement's text by the character sets of its PREPARE, which the session
     * has changed meanwhile.
     */
    @Test
    void handleOfOtherCharacterSets_isRefusedRatherThanReadOtherwise() throws SQLException {
        try (Connection connection = through()) {
            List<PreparedStatement> statements = leak(connection, MAX_AT_STORE + 200);
            try (Statement sql = connection.createStatement()) {
                sql.execute("SET NAMES latin1");
            }
            int refused = 0;
            for (int i = 0; i < 50; i++) {
                try {
                    assertThat(answer(statements.get(i), 1)).startsWith("3 " + i + " ");
                } catch (SQLException e) {
                    assertThat(e.getErrorCode()).isEqualTo(1615);
                    refused++;
                }
            }
            assertThat(refused).isEqualTo(50);
        }
    }
}
