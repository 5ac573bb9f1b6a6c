package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.protocol.fixtures.Clients.close;
import static org.keyline.protocol.fixtures.Clients.connect;
import static org.keyline.protocol.fixtures.Clients.query;
import static org.keyline.protocol.fixtures.Clients.run;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.protocol.fixtures.Rows;

/** This module's client at a real server. */
final class MariaDbClientIT {
    private static InetSocketAddress address;

    @BeforeAll
    static void start() {
        address = MariaDbServer.get().address();
    }

    private static ClientOptions.Builder options(boolean deprecateEof) {
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES;
        return ClientOptions.of(address, "keyline")
                .password(MariaDbServer.PASSWORD)
                .attributes(Map.of("program_name", "keyline test"))
                .capabilities(deprecateEof ? capabilities : capabilities & ~Capabilities.CLIENT_DEPRECATE_EOF);
    }

    @ParameterizedTest
    @EnumSource(value = TlsMode.class, names = "VERIFY", mode = EnumSource.Mode.EXCLUDE)
    void connect_everyTlsMode_logsIn(TlsMode tls) throws Exception {
        ClientConnection connection =
                connect(options(true).tls(tls, null).database("test").build());
        assertThat(connection.serverVersion()).contains("MariaDB");
        Rows cipher = query(connection, "SHOW SESSION STATUS LIKE 'Ssl_cipher'");
        if (tls == TlsMode.OFF) {
            assertThat(cipher.text(0).get(1)).isEmpty();
        } else {
            assertThat(cipher.text(0).get(1)).isNotEmpty();
        }
        assertThat(query(connection, "SELECT DATABASE(), CONNECTION_ID()").text(0))
                .containsExactly("test", Integer.toString(connection.connectionId()));
        close(connection);
    }

    @Test
    void connect_verifyAgainstUnknownAuthority_fails() {
        assertThatThrownBy(() -> connect(options(true).tls(TlsMode.VERIFY, null).build()))
                .hasRootCauseInstanceOf(Exception.class);
    }

    @Test
    void connect_verifyAgainstTheServersOwnCertificate_logsIn() throws Exception {
        SslContext trusting = SslContextBuilder.forClient()
                .trustManager(MariaDbServer.get().certificate().certificate())
                .build();
        ClientConnection connection =
                connect(options(true).tls(TlsMode.VERIFY, trusting).build());
        assertThat(query(connection, "SELECT 1").rows).hasSize(1);
        close(connection);
    }

    @Test
    void connect_wrongPassword_failsWithTheServersError() {
        assertThatThrownBy(() -> connect(options(true).password("wrong").build()))
                .hasCauseInstanceOf(ServerErrorException.class)
                .hasMessageContaining("1045");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void prepare_executeAndFetch_decodeTheBinaryProtocol(boolean deprecateEof) throws Exception {
        ClientConnection connection = connect(options(deprecateEof).build());
        Rows prepared = run(connection, rows -> connection.prepare("SELECT ? + 1 AS a, ? AS b, ? AS c", rows));
        PreparedStatement statement = requireNonNull(prepared.statement);
        assertThat(statement.parameters()).hasSize(3);
        assertThat(statement.columns()).hasSize(3);

        StatementArguments arguments =
                new StatementArguments().addInt64(41).addText("ü").addNull();
        Rows executed = run(connection, rows -> connection.execute(statement.id(), arguments, rows));
        assertThat(executed.rows).hasSize(1);
        assertThat(executed.rows.get(0)[0]).isZero();

        Rows series = run(connection, rows -> connection.prepare("SELECT seq FROM test.absent", rows));
        assertThat(series.error).isNotNull();
        query(connection, "CREATE OR REPLACE TABLE test.numbers (seq INT PRIMARY KEY)");
        query(connection, "INSERT INTO test.numbers VALUES (1), (2), (3), (4), (5)");
        PreparedStatement cursor = requireNonNull(
                run(connection, rows -> connection.prepare("SELECT seq FROM test.numbers ORDER BY seq", rows))
                        .statement);
        StatementArguments none = new StatementArguments().withCursor();
        Rows opened = run(connection, rows -> connection.execute(cursor.id(), none, rows));
        assertThat(opened.rows).isEmpty();
        assertThat(opened.columns).hasSize(1);
        assertThat(opened.status & ServerStatus.SERVER_STATUS_CURSOR_EXISTS).isNotZero();
        Rows first = run(connection, rows -> connection.fetch(cursor.id(), 3, rows));
        assertThat(first.rows).hasSize(3);
        assertThat(first.status & ServerStatus.SERVER_STATUS_LAST_ROW_SENT).isZero();
        Rows second = run(connection, rows -> connection.fetch(cursor.id(), 3, rows));
        assertThat(second.rows).hasSize(2);
        assertThat(second.status & ServerStatus.SERVER_STATUS_LAST_ROW_SENT).isNotZero();

        connection.loop().execute(() -> connection.closeStatement(cursor.id()));
        assertThat(run(connection, rows -> connection.fetch(cursor.id(), 3, rows)).error)
                .isNotNull();
        close(connection);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void otherCommands_endWhereTheServerEndsThem(boolean deprecateEof) throws Exception {
        ClientConnection connection =
                connect(options(deprecateEof).database("test").build());
        query(connection, "CREATE OR REPLACE TABLE test.fields (a INT DEFAULT 7, b TEXT)");
        for (int command : new int[] {
            CommandCode.COM_PING, CommandCode.COM_STATISTICS, CommandCode.COM_RESET_CONNECTION, CommandCode.COM_DEBUG
        }) {
            assertThat(run(connection, rows -> connection.sendText(command, "", rows)).error)
                    .isNull();
        }
        assertThat(run(connection, rows -> connection.sendText(CommandCode.COM_INIT_DB, "test", rows)).error)
                .isNull();
        assertThat(run(connection, rows -> connection.sendText(CommandCode.COM_SET_OPTION, "\0\0", rows)).error)
                .isNull();
        Rows fields = run(connection, rows -> connection.sendText(CommandCode.COM_FIELD_LIST, "fields\0", rows));
        assertThat(fields.error).isNull();
        assertThat(fields.columns.get(0)).extracting(column -> column.name()).containsExactly("a", "b");
        assertThat(run(connection, rows -> connection.sendText(0x77, "", rows)).error)
                .isNotNull();
        Rows processes = run(connection, rows -> connection.sendText(CommandCode.COM_PROCESS_INFO, "", rows));
        assertThat(processes.rows).isNotEmpty();
        assertThat(query(connection, "SELECT 1").rows).hasSize(1);
        close(connection);
    }

    @Test
    void send_moreThanMayBeInFlight_failsAtOnceWithoutHarm() throws Exception {
        ClientConnection connection = connect(options(true).maxInFlight(1).build());
        Rows first = new Rows();
        Rows second = new Rows();
        connection.loop().execute(() -> {
            connection.query("SELECT 1", first);
            connection.query("SELECT 2", second);
        });
        assertThatThrownBy(second::await).hasMessageContaining("in flight");
        assertThat(first.await().text(0)).containsExactly("1");
        close(connection);
    }

    @Test
    void localInfile_answered_loadsTheFile() throws Exception {
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_LOCAL_FILES;
        ClientConnection connection = connect(
                options(true).capabilities(capabilities).database("test").build());
        query(connection, "CREATE OR REPLACE TABLE test.sent (a TEXT)");
        CompletableFuture<Long> loaded = new CompletableFuture<>();
        connection.loop().execute(() -> {
            ByteBuf payload =
                    Unpooled.copiedBuffer("\3LOAD DATA LOCAL INFILE 'x' INTO TABLE test.sent", StandardCharsets.UTF_8);
            connection.send(payload, new FileSender(connection, loaded));
            payload.release();
        });
        assertThat(loaded.get(10, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(query(connection, "SELECT COUNT(*) FROM test.sent").text(0)).containsExactly("3");
        close(connection);
    }

    /** Sends a file of three lines in two pieces. */
    private record FileSender(ClientConnection connection, CompletableFuture<Long> loaded) implements PacketListener {
        @Override
        public void packets(ByteBuf framed, ReplyScanner reply) {
            framed.release();
        }

        @Override
        public boolean awaited(ReplyScanner reply) {
            assertThat(reply.awaitsFile()).isTrue();
            for (String piece : new String[] {"one\ntw", "o\nthree\n", ""}) {
                connection.answer(Unpooled.copiedBuffer(piece, StandardCharsets.UTF_8));
            }
            return true;
        }

        @Override
        public void end(ReplyScanner reply) {
            loaded.complete(reply.summary().affectedRows());
        }

        @Override
        public void failed(Throwable cause) {
            loaded.completeExceptionally(cause);
        }
    }
}
