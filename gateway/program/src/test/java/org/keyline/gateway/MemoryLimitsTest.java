package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.fixtures.RawClient;

/**
 * A client that exceeds its memory limit gets an error, and other clients are not affected. The
 * limit is 16 MiB in total, 8 MiB for a connection.
 */
final class MemoryLimitsTest {
    private static final int MEGABYTE = 1_000_000;
    private static final long IDLE_BYTES = 128 << 10;
    private static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_DEPRECATE_EOF;

    private static DemoGateway demo;
    private static TestClient other;

    @BeforeAll
    static void start() throws Exception {
        demo = DemoGateway.start("limits.memory=16 MiB", "eventLoops=1", "http=off");
        other = TestClient.connect(demo.address(), "demo");
    }

    @AfterAll
    static void stop() {
        other.close();
        demo.close();
    }

    @Test
    void prepare_beyondTheLimit_is1461UntilOneIsClosed() throws Exception {
        try (RawClient client = client()) {
            List<Integer> ids = new ArrayList<>();
            int error = 0;
            while (error == 0) {
                byte[] told = prepare(client, ids.size());
                error = error(told);
                if (error == 0) {
                    ids.add(told[1] & 0xFF);
                }
                otherNoticesNothing();
            }
            assertThat(error).isEqualTo(1461);
            assertThat(ids).hasSizeBetween(1, 3);
            command(client, CommandCode.COM_STMT_CLOSE, new byte[] {ids.get(0).byteValue(), 0, 0, 0});
            assertThat(error(prepare(client, 99))).isZero();
        }
    }

    private static byte[] prepare(RawClient client, int number) throws IOException {
        command(
                client,
                CommandCode.COM_STMT_PREPARE,
                "SELECT '" + number + "x".repeat(MEGABYTE) + "' FROM users WHERE user_id = ?");
        byte[] told = client.read().payload();
        int definitions = error(told) == 0 ? told[5] + told[7] : 0;
        for (int i = 0; i < definitions; i++) {
            client.read().payload();
        }
        return told;
    }

    @Test
    void statement_beyondTheLimit_is1038AndTheConnectionGoesOn() throws Exception {
        try (RawClient client = client()) {
            command(client, CommandCode.COM_QUERY, "SELECT 1 /*" + "x".repeat(3 * MEGABYTE) + "*/");
            assertThat(error(client.read().payload())).isEqualTo(1038);
            command(client, CommandCode.COM_PING, "");
            assertThat(error(client.read().payload())).isZero();
            otherNoticesNothing();
        }
    }

    @Test
    void unfinishedStatement_beyondTheLimit_is1153AndTheEnd() throws Exception {
        try (RawClient client = client()) {
            header(client, 15 * MEGABYTE, 0);
            client.writeBytes(new byte[9 * MEGABYTE]);
            assertThat(error(client.read().payload())).isEqualTo(1153);
            assertThatThrownBy(client::read).isInstanceOf(IOException.class);
        }
        otherNoticesNothing();
    }

    @Test
    void userVariables_beyondTheLimit_are1038() throws Exception {
        try (RawClient client = client()) {
            int error = 0;
            for (int i = 0; i < 20 && error == 0; i++) {
                command(client, CommandCode.COM_QUERY, "SET @v" + i + " = REPEAT('x', " + MEGABYTE + ")");
                error = error(client.read().payload());
            }
            assertThat(error).isEqualTo(1038);
            otherNoticesNothing();
        }
    }

    /** Only the current row of a result is copied out of the engine. */
    @Test
    void longRows_together_beyondTheLimit_areAllSent() throws Exception {
        try (RawClient client = client()) {
            command(client, CommandCode.COM_QUERY, "SELECT REPEAT('a', " + MEGABYTE + ") FROM users");
            assertThat(error(client.read().payload())).isZero();
            client.read().payload();
            int rows = 0;
            while (client.read().payload().length > MEGABYTE) {
                rows++;
            }
            assertThat(rows).isEqualTo(100);
            otherNoticesNothing();
        }
    }

    @Test
    void cell_beyondTheLimit_is1038AndTheConnectionGoesOn() throws Exception {
        try (RawClient client = client()) {
            for (String sql : List.of(
                    "SELECT REPEAT('a', " + 3 * MEGABYTE + ")",
                    "SELECT GROUP_CONCAT(REPEAT('a', " + MEGABYTE + ")) FROM users")) {
                command(client, CommandCode.COM_QUERY, sql);
                assertThat(error(client.read().payload())).isZero();
                client.read().payload();
                assertThat(error(client.read().payload())).isEqualTo(1038);
            }
            command(client, CommandCode.COM_PING, "");
            assertThat(error(client.read().payload())).isZero();
            otherNoticesNothing();
        }
    }

    /** The answers are not part of this test: the client may be told an error, or be disconnected. */
    @Test
    void longData_beyondTheLimit_isGivenBack() throws Exception {
        try (RawClient client = client()) {
            command(client, CommandCode.COM_STMT_PREPARE, "SELECT ? FROM users WHERE user_id = 1");
            byte[] piece = new byte[MEGABYTE];
            byte[] prepared = client.read().payload();
            for (int i = 0; i < prepared[5] + prepared[7]; i++) {
                client.read().payload();
            }
            System.arraycopy(prepared, 1, piece, 0, 4);
            for (int i = 0; i < 20; i++) {
                command(client, CommandCode.COM_STMT_SEND_LONG_DATA, piece);
            }
        } catch (IOException closed) {
            // as above
        }
        otherNoticesNothing();
    }

    /** Bytes that a client has not read turn its end into a reset, also while reading is paused. */
    @Test
    void longData_ofAResetClient_isGivenBack() throws Exception {
        try (RawClient client = client()) {
            command(client, CommandCode.COM_STMT_PREPARE, "SELECT ? FROM users WHERE user_id = 1");
            byte[] piece = new byte[MEGABYTE];
            System.arraycopy(client.read().payload(), 1, piece, 0, 4);
            for (int i = 0; i < 20; i++) {
                command(client, CommandCode.COM_STMT_SEND_LONG_DATA, piece);
            }
        } catch (IOException closed) {
            // as above
        }
        otherNoticesNothing();
    }

    @Test
    void replies_thatNobodyReads_leaveOthersAlone() throws Exception {
        try (RawClient client = client()) {
            for (int i = 0; i < 5_000; i++) {
                command(client, CommandCode.COM_QUERY, "SELECT * FROM users WHERE user_id = 42");
            }
            otherNoticesNothing();
        } catch (IOException closed) {
            // A client that does not read is disconnected.
        }
        otherNoticesNothing();
    }

    /** An eighth of the memory is for connections in login; newer ones evict the oldest. */
    @Test
    void unfinishedLogins_beyondTheLimit_endTheEldest() throws Exception {
        List<RawClient> silent = new ArrayList<>();
        byte[] most = new byte[60 << 10];
        Arrays.fill(most, (byte) 'x');
        try {
            for (int i = 0; i < 60; i++) {
                RawClient client = greeted();
                silent.add(client);
                header(client, most.length + 100, 1);
                client.writeBytes(most);
            }
            otherNoticesNothing();
            try (TestClient newcomer = TestClient.connect(demo.address(), "demo")) {
                assertThat(newcomer.query("SELECT 1").error()).isNull();
            }
            assertThat(error(silent.get(0).read().payload())).isEqualTo(1040);
        } finally {
            for (RawClient client : silent) {
                client.close();
            }
        }
    }

    @Test
    void loginPacket_longerThanItMayBe_is1153() throws Exception {
        try (RawClient client = greeted()) {
            header(client, 70 << 10, 1);
            byte[] told = client.read().payload();
            assertThat(error(told)).isEqualTo(1153);
            assertThat(new String(told, StandardCharsets.UTF_8)).contains("max_allowed_packet");
        }
    }

    private static RawClient client() throws IOException {
        RawClient client = greeted();
        client.write(1, RawClient.response("root", "demo", new byte[0], "mysql_native_password", FLAGS, 0));
        assertThat(error(client.read().payload())).isZero();
        return client;
    }

    /** Returns a client that has received the greeting. */
    private static RawClient greeted() throws IOException {
        RawClient client = new RawClient(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), demo.address().port()));
        assertThat(error(client.read().payload())).isZero();
        return client;
    }

    /** Sends a command, without waiting for an answer. */
    private static void command(RawClient client, int code, String rest) throws IOException {
        command(client, code, rest.getBytes(StandardCharsets.UTF_8));
    }

    private static void command(RawClient client, int code, byte[] rest) throws IOException {
        client.write(0, RawClient.command(code, rest));
    }

    /** Sends a packet header with this claimed length. */
    private static void header(RawClient client, int length, int sequenceId) throws IOException {
        client.writeBytes(new byte[] {(byte) length, (byte) (length >> 8), (byte) (length >> 16), (byte) sequenceId});
    }

    /** Returns the error number of a packet; 0 if it is no error. */
    private static int error(byte[] packet) {
        return (packet[0] & 0xFF) == ErrPacket.HEADER ? (packet[1] & 0xFF) | (packet[2] & 0xFF) << 8 : 0;
    }

    private void otherNoticesNothing() throws Exception {
        assertThat(other.query("SELECT name FROM users WHERE user_id = 42").rows())
                .isEqualTo(List.of(List.of("user 42")));
    }

    @AfterEach
    void awaitGivenBack() throws Exception {
        long deadline = System.nanoTime() + 20_000_000_000L;
        long kept = kept();
        while (kept > IDLE_BYTES && System.nanoTime() < deadline) {
            kept = kept();
        }
        assertThat(kept).as("bytes kept for one idle connection").isBetween(1L, IDLE_BYTES);
    }

    private long kept() throws Exception {
        return Long.parseLong(String.valueOf(other.query("SHOW STATUS LIKE 'keyline_memory_bytes'")
                .rows()
                .get(0)
                .get(1)));
    }
}
