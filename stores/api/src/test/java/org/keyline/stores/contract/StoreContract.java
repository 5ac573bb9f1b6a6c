package org.keyline.stores.contract;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Wire;
import org.keyline.protocol.transport.Transport;
import org.keyline.stores.DefinitionWatch;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;

/**
 * The contract of every {@link Store} and its sessions, whatever its kind. A kind of store is
 * tested by a class that extends this one. The tests create the schema {@code contract} again.
 */
@ExtendWith(LeakCheck.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class StoreContract {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final String SCHEMA = "contract";

    /** Rows of half a megabyte each, far more of them than any socket buffers. */
    private static final String LONG_READ = "SELECT REPEAT('x', 500000) FROM contract.many";

    private static final int LONG_READ_BYTES = 64 * 500_000;
    private static final AtomicInteger NEXT_ID = new AtomicInteger(700);

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, Transport.NIO.ioHandler());
    private final EventLoop loop = loops.next();
    private Store store;

    /** Returns the store under test, without open sessions. The tests close it. */
    protected abstract Store open() throws Exception;

    /** Returns the user of the sessions, who may do everything. */
    protected abstract String user();

    @BeforeAll
    final void start() throws Exception {
        store = open();
    }

    @AfterAll
    final void stop() throws Exception {
        try (ContractSession session = session(null)) {
            session.query("DROP DATABASE contract").ok();
        }
        store.close();
        loops.shutdownGracefully(0, 1, MINUTES).get(1, MINUTES);
    }

    @BeforeEach
    final void freshSchema() throws Exception {
        try (ContractSession session = session(null)) {
            session.query("DROP DATABASE IF EXISTS contract");
            session.query("CREATE DATABASE contract").ok();
            session.query("CREATE TABLE contract.t (k INT PRIMARY KEY, v VARCHAR(20))")
                    .ok();
            session.query("INSERT INTO contract.t VALUES (1, 'one'), (2, 'two')")
                    .ok();
        }
    }

    private ContractSession session(@Nullable String schema) throws Exception {
        return session(schema, ClientOptions.DEFAULT_CAPABILITIES);
    }

    private ContractSession session(@Nullable String schema, int capabilities) throws Exception {
        SessionIdentity identity = new SessionIdentity(
                NEXT_ID.incrementAndGet(),
                user(),
                "127.0.0.1",
                schema,
                capabilities,
                Collation.UTF8MB4_GENERAL_CI,
                Map.of());
        return ContractSession.open(store, identity, loop);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void open_withSchema_beginsThere() throws Exception {
        try (ContractSession session = session(SCHEMA)) {
            assertThat(session.query("SELECT DATABASE()").column()).containsExactly(SCHEMA);
            assertThat(session.session().initialStatus() & ServerStatus.SERVER_STATUS_AUTOCOMMIT)
                    .isNotZero();
        }
    }

    @Test
    void open_unknownSchema_failsWithTheStoresError() {
        assertThatThrownBy(() -> session("no_such_schema"))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.error().code()).isEqualTo(1049));
    }

    @Test
    void serverVersion_isWhatSessionsSay() throws Exception {
        try (ContractSession session = session(null)) {
            assertThat(session.query("SELECT VERSION()").column()).containsExactly(store.serverVersion());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void capabilities_ofTheClient_shapeTheReply(boolean deprecatesEof) throws Exception {
        int flags = (ClientOptions.DEFAULT_CAPABILITIES & ~Capabilities.CLIENT_DEPRECATE_EOF)
                | (deprecatesEof ? Capabilities.CLIENT_DEPRECATE_EOF : 0);
        try (ContractSession session = session(SCHEMA, flags)) {
            assertThat(Capabilities.has(session.session().capabilities(), Capabilities.CLIENT_DEPRECATE_EOF))
                    .isEqualTo(deprecatesEof);
            Answer answer = session.query("SELECT v FROM t ORDER BY k");
            assertThat(answer.column()).containsExactly("one", "two");
            assertThat(answer.packets()).hasSize(deprecatesEof ? 5 : 6);
        }
    }

    @Test
    void send_eachBehindTheEndOfTheLast_isAnsweredInOrder() throws Exception {
        int count = 50;
        try (ContractSession session = session(SCHEMA)) {
            CompletableFuture<List<RecordedReply>> all = new CompletableFuture<>();
            session.onLoop(() -> {
                sendNext(session, new ArrayList<>(), count, all);
                return true;
            });
            List<RecordedReply> replies = all.get(1, MINUTES);
            for (int i = 0; i < count; i++) {
                assertThat(session.answer(replies.get(i)).column()).containsExactly(String.valueOf(i));
            }
        }
    }

    /** Sends the next command while the end of the last one is being reported. */
    private static void sendNext(
            ContractSession session, List<RecordedReply> sent, int count, CompletableFuture<List<RecordedReply>> all) {
        if (sent.size() == count) {
            all.complete(sent);
            return;
        }
        RecordedReply reply = session.sendNow(CommandCode.COM_QUERY, bytes("SELECT " + sent.size()), () -> {});
        sent.add(reply);
        CompletableFuture<List<Wire.Packet>> unused = reply.ended().whenComplete((packets, failure) -> {
            if (failure == null) {
                sendNext(session, sent, count, all);
            } else {
                all.completeExceptionally(failure);
            }
        });
    }

    @Test
    void send_errors_leaveTheSessionAlive() throws Exception {
        try (ContractSession session = session(SCHEMA)) {
            assertThat(session.query("SELEC 1").error().code()).isEqualTo(1064);
            assertThat(session.query("SELECT v FROM none").error().code()).isEqualTo(1146);
            assertThat(session.command(CommandCode.COM_INIT_DB, bytes("no_such_schema"))
                            .error()
                            .code())
                    .isEqualTo(1049);
            assertThat(session.query("SELECT DATABASE()").column()).containsExactly(SCHEMA);
            session.command(CommandCode.COM_PING, new byte[0]).ok();
        }
    }

    @Test
    void send_writes_areSeenByOthersWhenTheReplyEnds() throws Exception {
        try (ContractSession writer = session(SCHEMA);
                ContractSession reader = session(SCHEMA)) {
            OkPacket ok =
                    writer.query("INSERT INTO t VALUES (3, 'three'), (4, NULL)").ok();
            assertThat(ok.affectedRows()).isEqualTo(2);
            assertThat(reader.query("SELECT v FROM t WHERE k > 2 ORDER BY k").column())
                    .containsExactly("three", "NULL");
        }
    }

    @Test
    void transaction_isShownInTheStatus_andIsItsSessionsOwn() throws Exception {
        try (ContractSession writer = session(SCHEMA);
                ContractSession reader = session(SCHEMA)) {
            assertThat(writer.query("BEGIN").ok().status() & ServerStatus.SERVER_STATUS_IN_TRANS)
                    .isNotZero();
            writer.query("UPDATE t SET v = 'new' WHERE k = 1").ok();
            assertThat(writer.query("SELECT v FROM t WHERE k = 1").column()).containsExactly("new");
            assertThat(reader.query("SELECT v FROM t WHERE k = 1").column()).containsExactly("one");
            assertThat(writer.query("COMMIT").ok().status() & ServerStatus.SERVER_STATUS_IN_TRANS)
                    .isZero();
            assertThat(reader.query("SELECT v FROM t WHERE k = 1").column()).containsExactly("new");
        }
    }

    @Test
    void close_openTransaction_isRolledBack() throws Exception {
        try (ContractSession writer = session(SCHEMA)) {
            writer.query("BEGIN").ok();
            writer.query("INSERT INTO t VALUES (9, 'gone')").ok();
        }
        try (ContractSession other = session(SCHEMA)) {
            // The store may still be executing it.
            Awaitility.await()
                    .atMost(LIMIT)
                    .until(() -> other.query("INSERT INTO t VALUES (9, 'mine')")
                                    .packets()
                                    .get(0)
                                    .header()
                            == OkPacket.HEADER);
            assertThat(other.query("SELECT v FROM t WHERE k = 9").column()).containsExactly("mine");
        }
    }

    @Test
    void preparedStatement_executes_untilItIsClosed() throws Exception {
        try (ContractSession session = session(SCHEMA)) {
            Answer prepared = session.command(CommandCode.COM_STMT_PREPARE, bytes("SELECT v FROM t WHERE k = ?"));
            PrepareOk ok = PrepareOk.decode(prepared.packets().get(0).buffer());
            assertThat(ok.parameters()).isEqualTo(1);
            assertThat(ok.columns()).isEqualTo(1);
            List<ByteBuf> rows = session.command(CommandCode.COM_STMT_EXECUTE, execution(ok.statementId(), 2))
                    .rowPayloads();
            assertThat(rows).hasSize(1);
            // Header, bitmap of NULLs, and the text with its length.
            assertThat(rows.get(0).toString(3, 3, StandardCharsets.UTF_8)).isEqualTo("two");

            Answer closed = session.command(CommandCode.COM_STMT_CLOSE, id(ok.statementId()));
            assertThat(closed.packets()).isEmpty();
            assertThat(session.command(CommandCode.COM_STMT_EXECUTE, execution(ok.statementId(), 2))
                            .error()
                            .code())
                    .isEqualTo(1243);
        }
    }

    private static byte[] id(int statement) {
        return new byte[] {(byte) statement, (byte) (statement >> 8), (byte) (statement >> 16), (byte) (statement >> 24)
        };
    }

    /** No cursor, one execution, and one parameter of type TINYINT. */
    private static byte[] execution(int statement, int parameter) {
        byte[] id = id(statement);
        return new byte[] {id[0], id[1], id[2], id[3], 0, 1, 0, 0, 0, 0, 1, 1, 0, (byte) parameter};
    }

    private static void fillMany(ContractSession session) throws Exception {
        session.query("CREATE TABLE many (k INT PRIMARY KEY)").ok();
        session.query("INSERT INTO many VALUES (0)").ok();
        for (int size = 1; size < 64; size *= 2) {
            session.query("INSERT INTO many SELECT k + " + size + " FROM many").ok();
        }
    }

    @Test
    void pause_longReply_isDelayed_untilResumed() throws Exception {
        try (ContractSession session = session(SCHEMA);
                ContractSession other = session(SCHEMA)) {
            fillMany(session);
            RecordedReply reply = session.send(
                    CommandCode.COM_QUERY,
                    bytes(LONG_READ),
                    () -> session.session().pause());
            Awaitility.await().atMost(LIMIT).until(() -> reply.bytes() > 0);
            long before;
            do {
                // Bytes on the network may still arrive; the loop serves others meanwhile.
                before = reply.bytes();
                for (int i = 0; i < 20; i++) {
                    assertThat(other.query("SELECT v FROM t WHERE k = 1").column())
                            .containsExactly("one");
                }
            } while (reply.bytes() != before);
            assertThat(reply.ended()).isNotDone();
            assertThat(before).isLessThan(LONG_READ_BYTES / 2);
            session.onLoop(() -> {
                session.session().resume();
                return true;
            });
            assertThat(session.answer(reply).rowPayloads()).hasSize(64);
        }
    }

    @Test
    void close_runningCommand_isLostOnce_andOnClosedIsNotCalled() throws Exception {
        ContractSession session = session(SCHEMA);
        RecordedReply reply;
        try (session) {
            fillMany(session);
            reply = session.send(
                    CommandCode.COM_QUERY,
                    bytes(LONG_READ),
                    () -> session.session().pause());
            Awaitility.await().atMost(LIMIT).until(() -> reply.bytes() > 0);
        }
        assertThatThrownBy(() -> reply.ended().get(1, MINUTES)).isInstanceOf(ExecutionException.class);
        assertThat(reply.faults()).isEmpty();
        assertThat(session.ends()).isZero();
    }

    @Test
    void kill_idleSession_isReportedOnce_andFurtherCommandsAreLost() throws Exception {
        try (ContractSession victim = session(SCHEMA);
                ContractSession other = session(SCHEMA)) {
            other.query("KILL " + victim.id());
            Awaitility.await().atMost(LIMIT).until(() -> victim.ends() > 0);
            RecordedReply late = victim.send(CommandCode.COM_PING, new byte[0], () -> {});
            assertThatThrownBy(() -> late.ended().get(1, MINUTES)).isInstanceOf(ExecutionException.class);
            assertThat(victim.ends()).isEqualTo(1);
            assertThat(other.query("SELECT 1").column()).containsExactly("1");
        }
    }

    @Test
    void ask_returnsAllRequestedValues_orNone() throws Exception {
        try (ContractSession session = session(SCHEMA)) {
            CompletableFuture<StoreSession.SessionAnswer> answered = new CompletableFuture<>();
            session.onLoop(() -> session.session()
                    .ask(List.of("DATABASE()", "CURRENT_USER()"), List.of())
                    .whenComplete((answer, failure) -> {
                        if (failure == null) {
                            answered.complete(answer);
                        } else {
                            answered.completeExceptionally(failure);
                        }
                    }));
            StoreSession.SessionAnswer answer = answered.get(1, MINUTES);
            if (!answer.values().isEmpty()) {
                assertThat(answer.values()).containsEntry("DATABASE()", SCHEMA);
                assertThat(answer.values().get("CURRENT_USER()")).startsWith(user());
            }
            assertThat(session.query("SELECT 1").column()).containsExactly("1");
        }
    }

    @Test
    void catalog_afterDefinitionsChanged_hasTheCurrentDefinitions() throws Exception {
        TableName name = new TableName(SCHEMA, "made");
        assertThat(store.catalog().table(SCHEMA, "made")).isNull();
        long version = store.catalog().version();
        try (ContractSession session = session(SCHEMA)) {
            session.query("CREATE TABLE made (a INT, b VARCHAR(20), v INT, PRIMARY KEY (b, a))")
                    .ok();
            store.definitionsChanged(List.of(name));
            TableSchema made = Awaitility.await()
                    .atMost(LIMIT)
                    .until(() -> store.catalog().table(SCHEMA, "made"), Objects::nonNull);
            assertThat(made.columns()).extracting(column -> column.name()).containsExactly("a", "b", "v");
            assertThat(made.keyColumns()).containsExactly(1, 0);
            assertThat(store.catalog().version()).isGreaterThan(version);
            session.query("DROP TABLE made").ok();
            store.definitionsChanged(List.of(name));
            Awaitility.await().atMost(LIMIT).until(() -> store.catalog().table(SCHEMA, "made") == null);
        }
    }

    @Test
    void watchDefinitions_tableChanged_isNotAnsweredByItsOldDefinition() throws Exception {
        store.definitionsChanged(List.of(new TableName(SCHEMA, "t")));
        TableSchema before =
                Awaitility.await().atMost(LIMIT).until(() -> store.catalog().table(SCHEMA, "t"), Objects::nonNull);
        try (ContractSession session = session(SCHEMA)) {
            DefinitionWatch watch =
                    store.watchDefinitions().toCompletableFuture().get(1, MINUTES);
            session.query("ALTER TABLE t ADD COLUMN w INT").ok();
            assertThat(watch.ended().toCompletableFuture().get(1, MINUTES)).isEqualTo(DefinitionWatch.Seen.DEFINITIONS);
            TableSchema after = store.catalog().table(SCHEMA, "t");
            if (after != null) {
                assertThat(after.id()).isNotEqualTo(before.id());
                assertThat(after.columns()).hasSize(3);
            }
        }
    }
}
