package org.keyline.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.Capabilities;

final class ClientOptionsTest {
    private static ClientOptions.Builder options() {
        return ClientOptions.of("127.0.0.1", 3306, "user");
    }

    @Test
    void build_valuesOutOfRange_areRefused() {
        List<UnaryOperator<ClientOptions.Builder>> broken = List.of(
                to -> to.collation(0),
                to -> to.collation(256),
                to -> to.connectTimeout(Duration.ZERO),
                to -> to.maxInFlight(0),
                to -> to.maxPacketBytes(0));
        for (UnaryOperator<ClientOptions.Builder> change : broken) {
            assertThatThrownBy(() -> change.apply(options()).build()).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /**
     * Capabilities that change packets in ways that the reply scanner does not support must not be
     * negotiated.
     */
    @Test
    void build_unsupportedCapabilities_areRefused() {
        for (int flag : new int[] {
            Capabilities.CLIENT_ZSTD_COMPRESSION_ALGORITHM, Capabilities.CLIENT_OPTIONAL_RESULTSET_METADATA
        }) {
            assertThatThrownBy(() -> options()
                            .capabilities(ClientOptions.DEFAULT_CAPABILITIES | flag)
                            .build())
                    .hasMessageContaining("not supported");
        }
    }

    @Test
    void toBuilder_unchanged_buildsTheSame() {
        ClientOptions options = options().password("secret").database("db").build();
        assertThat(options.toBuilder().build()).isEqualTo(options);
        assertThat(options.toString()).doesNotContain("secret");
    }
}
