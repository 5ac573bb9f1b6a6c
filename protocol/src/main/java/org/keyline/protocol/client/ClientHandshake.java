package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.AuthSwitchRequest;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.auth.ClientExchange;
import org.keyline.protocol.codec.Packets;

/** The login with a configured user and password. Confined to one event loop. */
final class ClientHandshake extends ConnectionPhase {
    private final CompletableFuture<ClientConnection> connected;
    private @Nullable HandshakeV10 greeting;
    private @Nullable ClientExchange exchange;
    private int capabilities;

    ClientHandshake(ClientOptions options, CompletableFuture<ClientConnection> connected) {
        super(options, null);
        this.connected = connected;
    }

    @Override
    void packet(ByteBuf payload, int first) {
        if (first == ErrPacket.HEADER) {
            fail(new ServerErrorException(ErrPacket.decode(payload)));
        } else if (greeting == null) {
            greet(HandshakeV10.decode(payload));
        } else {
            authenticate(payload, first);
        }
    }

    private void greet(HandshakeV10 received) {
        greeting = received;
        int wanted = options.capabilities() & ~(Capabilities.CLIENT_SSL | Capabilities.CLIENT_CONNECT_WITH_DB);
        if (options.database() != null) {
            wanted |= Capabilities.CLIENT_CONNECT_WITH_DB;
        }
        capabilities = wanted & (received.capabilities() | options.traits().unofferedFlags());
        requireProtocol41(capabilities);
        if (!usesTls(Capabilities.has(received.capabilities(), Capabilities.CLIENT_SSL))) {
            respond(false);
            return;
        }
        capabilities |= Capabilities.CLIENT_SSL;
        ByteBuf request = Unpooled.buffer(HandshakeResponse41.FIXED_BYTES);
        HandshakeResponse41.encodeSslRequest(request, capabilities, Packets.MAX_PAYLOAD_BYTES, options.collation());
        startTls(request, () -> respond(true));
        request.release();
    }

    private void respond(boolean secure) {
        HandshakeV10 to = requireNonNull(greeting, "greeting is null");
        ClientExchange begun = new ClientExchange(options.password(), secure, options.retrievePublicKey());
        exchange = begun;
        byte[] proof = begun.begin(to.authPlugin(), to.scramble());
        HandshakeResponse41 response = new HandshakeResponse41(
                capabilities,
                Packets.MAX_PAYLOAD_BYTES,
                options.collation(),
                options.user(),
                proof,
                options.database(),
                begun.plugin().wireName(),
                options.attributes());
        ByteBuf out = Unpooled.buffer();
        response.encode(out);
        send(out);
        out.release();
    }

    private void authenticate(ByteBuf payload, int first) {
        ClientExchange begun = exchange;
        if (begun == null) {
            throw new ProtocolException("packet before the handshake response");
        }
        switch (first) {
            case OkPacket.HEADER -> finish(OkPacket.decode(payload));
            case AuthSwitchRequest.HEADER -> {
                AuthSwitchRequest request = AuthSwitchRequest.decode(payload);
                answer(begun.switchTo(request.plugin(), request.scramble()));
            }
            case 0x01 -> {
                payload.skipBytes(1);
                byte[] answer = begun.more(ByteBufUtil.getBytes(payload));
                if (answer != null) {
                    answer(answer);
                }
            }
            default -> throw new ProtocolException("first byte: " + first + " (expected: OK, ERR or authentication)");
        }
    }

    private void answer(byte[] payload) {
        send(Unpooled.wrappedBuffer(payload));
    }

    private void finish(OkPacket ok) {
        HandshakeV10 from = requireNonNull(greeting, "greeting is null");
        ClientConnection connection = succeed(from, capabilities, 0, ok.status());
        if (!connected.complete(connection)) {
            connection.close();
        }
    }

    @Override
    void failed(Throwable cause) {
        connected.completeExceptionally(cause);
    }
}
