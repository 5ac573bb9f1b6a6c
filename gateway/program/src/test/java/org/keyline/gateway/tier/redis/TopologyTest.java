package org.keyline.gateway.tier.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The assignment of names to servers. */
final class TopologyTest {
    private static final InetSocketAddress ASKED = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7_000);

    private static byte[] name(String text) {
        return text.getBytes(UTF_8);
    }

    private static RedisMessage text(String text) {
        return new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(name(text)));
    }

    private static RedisMessage array(RedisMessage... elements) {
        return new ArrayRedisMessage(List.of(elements));
    }

    private static RedisMessage range(long from, long to, String host, long port) {
        return array(
                new IntegerRedisMessage(from),
                new IntegerRedisMessage(to),
                array(text(host), new IntegerRedisMessage(port), text("id")),
                array(text("127.0.0.9"), new IntegerRedisMessage(1), text("a replica")));
    }

    /** The examples of the specification. */
    @ParameterizedTest
    @CsvSource({
        "123456789, 12739",
        "foo, 12182",
        "{user1000}.following, 3443",
        "{user1000}.followers, 3443",
        "user1000, 3443",
        "a{foo}{bar}, 12182"
    })
    void slot_isThatOfTheSpecification(String text, int slot) {
        assertThat(Topology.slot(name(text))).isEqualTo(slot);
    }

    @Test
    void slot_ofBracesWithNothingBetween_isOfTheWholeName() {
        assertThat(Topology.slot(name("foo{}{bar}"))).isNotEqualTo(Topology.slot(name("bar")));
        assertThat(Topology.slot(name("foo{{bar}}zap"))).isEqualTo(Topology.slot(name("{bar")));
        assertThat(Topology.slot(name("foo{bar"))).isNotEqualTo(Topology.slot(name("bar")));
    }

    @Test
    void oneServer_hasEveryName() {
        assertThat(Topology.of(ASKED).server(name("foo"))).isEqualTo(ASKED);
        assertThat(Topology.of(ASKED).servers()).containsExactly(ASKED);
    }

    @Test
    void servers_ofACluster_haveTheirSlots() throws IOException {
        Topology cluster = Topology.ofCluster(
                array(
                        range(0, 5_000, "", 7_000),
                        range(5_001, 10_000, "127.0.0.2", 7_001),
                        range(12_182, 16_383, "127.0.0.3", 7_002)),
                ASKED);
        assertThat(cluster.server(name("foo"))).isEqualTo(new InetSocketAddress("127.0.0.3", 7_002));
        assertThat(cluster.server(name("user1000")))
                .as("the one that was asked")
                .isEqualTo(ASKED);
        assertThat(cluster.servers()).hasSize(3);
        Topology gap = Topology.ofCluster(array(range(0, 12_181, "", 7_000)), ASKED);
        assertThat(gap.server(name("foo"))).as("a slot of nobody").isNull();
        assertThat(gap).isEqualTo(Topology.ofCluster(array(range(0, 12_181, "", 7_000)), ASKED));
        assertThat(gap).isNotEqualTo(cluster);
    }

    @Test
    void whatIsNoSuchReply_isRefused() {
        for (RedisMessage wrong : List.of(
                new ErrorRedisMessage("ERR"),
                array(text("0")),
                array(range(0, 1 << 14, "h", 1)),
                array(range(-1, 1, "h", 1)),
                array(range(2, 1, "h", 1)),
                array(range(0, 1, "h", 0)),
                array(array(new IntegerRedisMessage(0), new IntegerRedisMessage(1), text("h"))))) {
            assertThatThrownBy(() -> Topology.ofCluster(wrong, ASKED)).isInstanceOf(IOException.class);
        }
    }
}
