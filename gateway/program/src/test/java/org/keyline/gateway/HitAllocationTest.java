package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.fixtures.ItemStore;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.ServerConnection;
import org.keyline.protocol.server.ServerContext;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;

/**
 * The allocation budget of the hit path, from bytes in to bytes out: one more hit in a read batch
 * allocates almost nothing.
 */
final class HitAllocationTest {
    private static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_DEPRECATE_EOF;
    private static final int FEW = 10;
    private static final int MANY = 110;
    private static final int ROUNDS = 200;
    private static final int WARMUPS = 10;
    /**
     * Where {@code sun.misc.Unsafe} is not available to Netty, as on JDK 24 and later, Netty
     * creates a view of 64 bytes for each copy out of a direct buffer. The compiler removes these
     * views only in a JVM that does little else.
     */
    private static final int BUDGET_BYTES = PlatformDependent.hasUnsafe() ? 16 : 16 + 3 * 64;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final ItemStore store = new ItemStore();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private Gateway gateway;

    @BeforeEach
    void start() throws Exception {
        for (int sku = 0; sku < 100; sku++) {
            store.put(1, sku, "item " + sku);
        }
        gateway = new Gateway(
                new ConfigLoader(Map.of())
                        .set("listen=127.0.0.1:0")
                        .set("http=off")
                        .set("cache.ttl=1h")
                        .set("cache.prefix=1")
                        .load(),
                store);
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        ServerContext context = new ServerContext(
                ServerOptions.of("8.0.36-items"),
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> root,
                gateway.sessions(),
                ServerListener.NONE,
                Runnable::run);
        channel.pipeline().addLast(new ServerConnection(context, 1));
        ByteBuf login = Unpooled.buffer();
        int begin = Packets.begin(login);
        new HandshakeResponse41(
                        FLAGS,
                        0,
                        Collation.UTF8MB4_GENERAL_CI,
                        "root",
                        new byte[0],
                        "shop",
                        "mysql_native_password",
                        Map.of())
                .encode(login);
        Packets.end(login, begin, 1);
        channel.writeInbound(login);
        channel.releaseOutbound();
    }

    @AfterEach
    void stop() {
        channel.finishAndReleaseAll();
        gateway.close();
    }

    @Test
    void textHit_allocatesWithinTheBudget() {
        ByteBuf query = query("SELECT name FROM items WHERE id = 1 AND sku = 42");
        assertThat(perHit(query)).as("bytes per hit").isLessThan(BUDGET_BYTES);
        assertThat(store.count("QUERY SELECT name")).isEqualTo(1);
    }

    @Test
    void hitOfSeveralRowsOfOneLine_allocatesWithinTheBudget() {
        assertThat(perHit(query(
                        "SELECT name FROM items WHERE id = 1 AND sku IN (9, 2, 7, 4, 5, 6, 3, 8, 1, 10, 11, 12)")))
                .as("bytes per hit")
                .isLessThan(BUDGET_BYTES);
    }

    @Test
    void hitOfSeveralLines_allocatesWithinTheBudget() {
        assertThat(perHit(query("SELECT name FROM items WHERE id IN (3, 1, 2, 5, 4, 6) AND sku = 42")))
                .as("bytes per hit")
                .isLessThan(BUDGET_BYTES);
        assertThat(store.count("QUERY SELECT name")).isEqualTo(1);
    }

    @Test
    void preparedHit_allocatesWithinTheBudget() {
        send(batch(command(CommandCode.COM_STMT_PREPARE, "SELECT name FROM items WHERE id = ? AND sku = ?"), 1));
        ByteBuf execute = Unpooled.buffer();
        int begin = Packets.begin(execute);
        new StatementArguments().addInt64(1).addInt64(42).encode(execute, 1);
        Packets.end(execute, begin, 0);
        assertThat(perHit(execute)).as("bytes per hit").isLessThan(BUDGET_BYTES);
        assertThat(store.count("EXECUTE SELECT name FROM items WHERE id = ? AND sku = ?"))
                .isEqualTo(1);
    }

    /** Returns the bytes that one more command in a batch allocates after the warm-up. */
    private double perHit(ByteBuf command) {
        for (int i = 0; i < WARMUPS; i++) {
            allocated(command, MANY);
        }
        allocated(command, FEW);
        long few = allocated(command, FEW);
        long many = allocated(command, MANY);
        return (many - few) / (double) ROUNDS / (MANY - FEW);
    }

    private long allocated(ByteBuf command, int count) {
        byte[] batch = batch(command, count);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            send(batch);
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static byte[] batch(ByteBuf command, int count) {
        ByteBuf batch = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            batch.writeBytes(command, command.readerIndex(), command.readableBytes());
        }
        return ByteBufUtil.getBytes(batch);
    }

    private void send(byte[] batch) {
        channel.pipeline().fireChannelRead(channel.alloc().buffer(batch.length).writeBytes(batch));
        channel.pipeline().fireChannelReadComplete();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            out.release();
        }
    }

    private static ByteBuf query(String sql) {
        return command(CommandCode.COM_QUERY, sql);
    }

    private static ByteBuf command(int code, String text) {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        packet.writeByte(code).writeCharSequence(text, StandardCharsets.UTF_8);
        Packets.end(packet, begin, 0);
        return packet;
    }
}
