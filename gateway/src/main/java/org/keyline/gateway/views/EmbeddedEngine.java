package org.keyline.gateway.views;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.statement.KeylineViews;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;
import org.keyline.stores.duckdb.DuckDbStore;
import org.keyline.stores.duckdb.engine.EngineOptions;

/**
 * Runs reads of views on an embedded store in memory, which is filled with the rows of the views that a read names. It is opened with the
 * first read that takes more than a {@linkplain PlainScans plain scan}. Thread-safe; one read at a time.
 */
public final class EmbeddedEngine implements ViewEngine {
    /*
     * Every read has a session of its own, of a user who may only read: nothing that it sets is there for the next, whoever asks.
     * Rows of views that a read does not name are taken away before it runs.
     */

    private static final int MEMORY_BYTES = 128 << 20;
    private static final int MAX_WAITING = 64;
    private static final int MAX_REPLY_BYTES = 16 << 20;
    private static final int ROWS_PER_INSERT = 200;
    private static final Duration MAX_EXECUTION = Duration.ofSeconds(2);
    private static final long STUCK_SECONDS = 60;
    private static final int STOP_SECONDS = 2;
    private static final int WORKERS = 2;

    private static final String FILLER = "keyline";
    private static final String READER = "reader";
    private static final int CAPABILITIES = ServerOptions.DEFAULT_CAPABILITIES
            & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS);

    private final Map<String, View> views;
    private final PlainScans scans;
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            STOP_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            new DefaultThreadFactory("keyline-views", true));

    // Confined to the thread.
    private final Set<String> filled = new HashSet<>();
    private @Nullable Opened opened;

    /** The store, and the session that fills it. */
    private record Opened(MultiThreadIoEventLoopGroup group, EventLoop loop, DuckDbStore store, StoreSession filler) {}

    /** @param views by name, in lower case */
    public EmbeddedEngine(Map<String, View> views) {
        this.views = Map.copyOf(views);
        this.scans = new PlainScans(views);
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public CompletionStage<ViewResult> describe(ViewRead query) {
        return later(() -> {
            ViewResult plain = scans.describeExactly(query);
            if (plain != null) {
                return plain;
            }
            Opened engine = opened();
            StoreSession session = session(engine, query);
            try {
                return prepared(ask(engine, session, text(CommandCode.COM_STMT_PREPARE, query.sql())));
            } finally {
                end(engine, session);
            }
        });
    }

    @Override
    public CompletionStage<ViewResult> run(ViewRead query, View.Asker asker, boolean binary) {
        return later(() -> {
            ViewResult plain = scans.runExactly(query, asker, binary);
            if (plain != null) {
                return plain;
            }
            Opened engine = opened();
            fill(engine, query.reads().named(), asker);
            StoreSession session = session(engine, query);
            try {
                if (!binary) {
                    return rows(ask(engine, session, text(CommandCode.COM_QUERY, query.sql())));
                }
                List<ByteBuf> reply = ask(engine, session, text(CommandCode.COM_STMT_PREPARE, query.sql()));
                int id = PrepareOk.decode(reply.get(0).duplicate()).statementId();
                ByteBuf execute = Unpooled.buffer(10)
                        .writeByte(CommandCode.COM_STMT_EXECUTE)
                        .writeIntLE(id)
                        .writeByte(0)
                        .writeIntLE(1);
                return rows(ask(engine, session, execute));
            } finally {
                end(engine, session);
            }
        });
    }

    private CompletionStage<ViewResult> later(Callable<ViewResult> task) {
        CompletableFuture<ViewResult> result = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    result.complete(task.call());
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                    result.completeExceptionally(refused(ErrorCode.ER_SERVER_SHUTDOWN, "Keyline stops"));
                } catch (ExecutionException failed) {
                    result.completeExceptionally(failed.getCause() == null ? failed : failed.getCause());
                } catch (Exception failed) {
                    result.completeExceptionally(failed);
                }
            });
        } catch (RejectedExecutionException full) {
            result.completeExceptionally(
                    refused(ErrorCode.ER_CON_COUNT_ERROR, "Too many reads of views at once: " + MAX_WAITING + " wait"));
        }
        return result;
    }

    private static StoreException refused(ErrorCode code, String message) {
        return new StoreException(ErrPacket.of(code, message));
    }

    // ---------------------------------------------------------------- the store

    private Opened opened() throws InterruptedException, ExecutionException, TimeoutException {
        Opened already = opened;
        if (already != null) {
            return already;
        }
        EngineOptions options = EngineOptions.of(null)
                .withMemory(MEMORY_BYTES)
                .withQueues(WORKERS, MAX_WAITING, MAX_WAITING)
                .withMaxExecutionTime(() -> MAX_EXECUTION);
        DuckDbStore store = DuckDbStore.open(options, Set.of(READER), Clock.systemUTC());
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("keyline-views-loop", true), NioIoHandler.newFactory());
        Opened made;
        try {
            EventLoop loop = group.next();
            made = new Opened(group, loop, store, open(store, loop, FILLER, null));
            ask(made, made.filler(), text(CommandCode.COM_QUERY, "CREATE DATABASE " + KeylineViews.SCHEMA));
            for (View view : views.values()) {
                ask(made, made.filler(), text(CommandCode.COM_QUERY, definition(view)));
            }
        } catch (InterruptedException | ExecutionException | TimeoutException | RuntimeException e) {
            store.close();
            var unused = group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
            throw e;
        }
        opened = made;
        return made;
    }

    private static String definition(View view) {
        List<String> columns = view.columns().stream()
                .map(column -> "`" + column.name() + "` " + column.type().declared)
                .toList();
        return "CREATE TABLE " + KeylineViews.SCHEMA + ".`" + view.name() + "` (" + String.join(", ", columns) + ")";
    }

    /** Gives the named views their rows, and takes away those of all others. */
    private void fill(Opened engine, Set<String> named, View.Asker asker)
            throws InterruptedException, ExecutionException, TimeoutException {
        for (String name : List.copyOf(filled)) {
            ask(engine, engine.filler(), text(CommandCode.COM_QUERY, "DELETE FROM " + qualified(name)));
            filled.remove(name);
        }
        for (String name : named) {
            View view = views.get(name);
            if (view == null) {
                continue;
            }
            filled.add(name);
            List<List<@Nullable Object>> rows = view.rows().apply(asker);
            for (int from = 0; from < rows.size(); from += ROWS_PER_INSERT) {
                List<String> values = rows.subList(from, Math.min(rows.size(), from + ROWS_PER_INSERT)).stream()
                        .map(EmbeddedEngine::values)
                        .toList();
                String insert = "INSERT INTO " + qualified(name) + " VALUES " + String.join(", ", values);
                ask(engine, engine.filler(), text(CommandCode.COM_QUERY, insert));
            }
        }
    }

    private static String qualified(String view) {
        return KeylineViews.SCHEMA + ".`" + view + "`";
    }

    private static String values(List<@Nullable Object> row) {
        List<String> literals = new ArrayList<>();
        for (Object cell : row) {
            literals.add(cell == null ? "NULL" : cell instanceof String text ? ViewRead.quoted(text) : cell.toString());
        }
        return "(" + String.join(", ", literals) + ")";
    }

    /** A session for one read; what a statement about definitions names is in the schema, wherever it says so. */
    private static StoreSession session(Opened engine, ViewRead query)
            throws InterruptedException, ExecutionException, TimeoutException {
        String database = query.reads().tells() ? KeylineViews.SCHEMA : null;
        return open(engine.store(), engine.loop(), READER, database);
    }

    private static StoreSession open(DuckDbStore store, EventLoop loop, String user, @Nullable String database)
            throws InterruptedException, ExecutionException, TimeoutException {
        SessionIdentity identity = new SessionIdentity(
                0, user, "localhost", database, CAPABILITIES, Collation.UTF8MB4_GENERAL_CI, Map.of());
        return CompletableFuture.supplyAsync(() -> store.open(identity, loop, () -> {}), loop)
                .thenCompose(opening -> opening)
                .get(STUCK_SECONDS, TimeUnit.SECONDS);
    }

    private static void end(Opened engine, StoreSession session) {
        CompletableFuture<Void> unused = CompletableFuture.runAsync(session::close, engine.loop());
    }

    // ---------------------------------------------------------------- commands and replies

    private static ByteBuf text(int code, String sql) {
        byte[] bytes = sql.getBytes(UTF_8);
        return Unpooled.buffer(1 + bytes.length).writeByte(code).writeBytes(bytes);
    }

    /** The payloads of the reply's packets. */
    private static List<ByteBuf> ask(Opened engine, StoreSession session, ByteBuf command)
            throws InterruptedException, ExecutionException, TimeoutException {
        CollectedReply reply = new CollectedReply(MAX_REPLY_BYTES);
        CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> session.send(command, reply), engine.loop())
                .exceptionally(failed -> {
                    reply.lost(failed);
                    return null;
                });
        return reply.packets().get(STUCK_SECONDS, TimeUnit.SECONDS);
    }

    /** A result set of classic packets: the number of columns, their definitions, EOF, rows, EOF. */
    private static ViewResult rows(List<ByteBuf> packets) {
        int columns = columns(packets);
        List<byte[]> rows = new ArrayList<>();
        for (ByteBuf packet : packets.subList(columns + 2, packets.size() - 1)) {
            byte[] row = new byte[packet.readableBytes()];
            packet.readBytes(row);
            rows.add(row);
        }
        return new ViewResult(definitions(packets, 1, columns), rows);
    }

    private static int columns(List<ByteBuf> packets) {
        int columns = (int) Lenenc.readInt(packets.get(0).duplicate());
        if (columns == 0) {
            throw refused(ErrorCode.ER_NOT_SUPPORTED_YET, "The views of Keyline can only be read");
        }
        return columns;
    }

    private static ViewResult prepared(List<ByteBuf> packets) {
        PrepareOk ok = PrepareOk.decode(packets.get(0).duplicate());
        int from = 1 + (ok.parameters() == 0 ? 0 : ok.parameters() + 1);
        return new ViewResult(definitions(packets, from, ok.columns()), List.of());
    }

    private static List<ColumnDefinition> definitions(List<ByteBuf> packets, int from, int count) {
        return packets.subList(from, from + count).stream()
                .map(packet -> ColumnDefinition.decode(packet.duplicate()))
                .toList();
    }

    @Override
    public void close() {
        thread.execute(() -> {
            Opened engine = opened;
            opened = null;
            if (engine != null) {
                engine.store().close();
                var unused = engine.group().shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
            }
        });
        thread.shutdown();
    }
}
