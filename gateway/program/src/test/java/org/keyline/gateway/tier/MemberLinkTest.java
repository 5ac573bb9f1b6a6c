package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.CommandHandler;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.Reply;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
import org.slf4j.LoggerFactory;

/** A link to a server that refuses every entry. */
final class MemberLinkTest {
    private static final class Refusing implements CommandHandler {
        @Override
        public void command(ByteBuf payload, Reply reply) {
            reply.error(ErrPacket.of(ErrorCode.ER_ACCESS_DENIED_ERROR, "Access denied"));
            reply.end();
        }

        @Override
        public void changeUser(Login login, Reply reply) {
            throw new AssertionError("a link does not change its user");
        }

        @Override
        public void closed() {}
    }

    private static MySqlServer refusing() throws Exception {
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        return MySqlServer.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ServerOptions.of("8.0.36-keyline").withEventLoops(1),
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> root,
                (login, peer) -> CompletableFuture.completedFuture(new Refusing()),
                ServerListener.NONE);
    }

    @Test
    void refusedEntries_areOneLossAndOneLine() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(MemberLink.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (MySqlServer server = refusing()) {
            EventLoop loop = group.next();
            MemberLink link = new MemberLink(
                    "b", ClientOptions.of(server.address(), "root").build(), loop);
            loop.execute(link::watch);
            soon("the login").until(link::connected);
            loop.submit(() -> {
                        assertThat(link.send(new byte[] {1})).isTrue();
                        assertThat(link.send(new byte[] {2})).isTrue();
                    })
                    .get();
            soon("the refusal").until(() -> !link.connected());
            loop.submit(link::close).get();
            assertThat(logged.list)
                    .filteredOn(event -> event.getLevel() == Level.WARN)
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage())
                            .contains("the link is lost to gateway b")
                            .contains("Access denied"));
        } finally {
            logger.detachAppender(logged);
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
