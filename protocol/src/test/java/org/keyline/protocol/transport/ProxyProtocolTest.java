package org.keyline.protocol.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/** Headers of the PROXY protocol, byte by byte as its text defines them. */
final class ProxyProtocolTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final String ADDRESSES = "7f000009" + "7f000001" + "15b3" + "0cea";

    private final List<Throwable> failures = new ArrayList<>();
    private final List<String> clients = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    private void send(String hex) {
        ProxyProtocol.await(
                channel,
                Duration.ofMinutes(1),
                () -> clients.add(String.valueOf(ProxyProtocol.client(channel))),
                failures::add);
        channel.writeInbound(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));
        channel.checkException();
        channel.finishAndReleaseAll();
    }

    /** A TLV has a type, a length of two bytes, and as many bytes. */
    @Test
    void header_withTlvs_isRead() {
        send(SIGNATURE + "21" + "11" + "0012" + ADDRESSES + "02" + "0003" + "616263");
        assertThat(clients).containsExactly("/127.0.0.9:5555");
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // A TLV that is longer than the header.
                "21" + "11" + "0010" + ADDRESSES + "02" + "00ff" + "61",
                // A TLV within one of TLS that is longer than the outer one.
                "21" + "11" + "0018" + ADDRESSES + "20" + "0009" + "01" + "00000000" + "21" + "00ff" + "61",
                // Another version.
                "31" + "11" + "000c" + ADDRESSES
            })
    void headerThatCannotBeRead_isOneBreachOfTheProtocol_withoutTheLibrarysWords(String rest) {
        assertMalformed(rest);
    }

    @Test
    void headerThatIsTooLong_isOneToo() {
        assertMalformed("21" + "11" + "0c0c" + ADDRESSES + "04" + "0bfd" + "00".repeat(0x0bfd));
    }

    private void assertMalformed(String rest) {
        send(SIGNATURE + rest);
        assertThat(clients).isEmpty();
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure).isInstanceOf(ProtocolException.class);
            assertThat(((ProtocolException) failure).code()).isEqualTo(ErrorCode.ER_HANDSHAKE_ERROR);
            assertThat(failure)
                    .hasMessage("the PROXY header is malformed, or has more than 2048 bytes beside the addresses");
        });
    }
}
