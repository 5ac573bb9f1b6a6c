package org.keyline.gateway.tier;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.keyline.planner.TableName;

/** What goes over the channel. */
final class PeerLinkTest {
    private static final TableName TABLE = new TableName("db", "t\u00e4ble");
    private static final PeerEntry ENTRY = new PeerEntry(
            "a",
            -7,
            9,
            new Heard(Map.of(1L, 2L, -3L, 4L)),
            List.of(new Drop.Everything(), new Drop.Table(TABLE), new Drop.Rows(TABLE, 5, new byte[] {0, -1})));

    private final List<byte[]> sent = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();

    private PeerLink link(int maxDrops) {
        Peers peers = new Peers("a", Set.of("a", "b"), 1, new Peers.Sizes(4, 1), () -> 100, new Peers.Listener() {
            @Override
            public void drop(Drop drop) {}

            @Override
            public void vouched(long asOfNanos) {}
        });
        return new PeerLink(peers, sent::add, tasks::add, tasks::add, maxDrops * row(0).weight());
    }

    private void run() {
        List<Runnable> now = List.copyOf(tasks);
        tasks.clear();
        now.forEach(Runnable::run);
    }

    private List<List<Drop>> drops() {
        return sent.stream()
                .map(bytes -> requireNonNull(PeerCodec.decode(bytes)).drops())
                .toList();
    }

    private static Drop row(int key) {
        return new Drop.Rows(TABLE, 1, new byte[] {(byte) key});
    }

    @Test
    void decode_ofAnEntry_isTheEntry() {
        assertThat(PeerCodec.decode(PeerCodec.encode(ENTRY))).isEqualTo(ENTRY);
    }

    @Test
    void decode_ofAnEntryWithAnyBitTurnedOrCutShort_isNull() {
        byte[] bytes = PeerCodec.encode(ENTRY);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(PeerCodec.decode(damaged)).as("bit %d", bit).isNull();
        }
        for (int length = 0; length < bytes.length; length++) {
            assertThat(PeerCodec.decode(Arrays.copyOf(bytes, length))).isNull();
        }
    }

    @Test
    void decode_ofRandomBytesWithTheirChecksum_throwsNothing() {
        Random random = new Random(1);
        byte[] bytes = PeerCodec.encode(ENTRY);
        for (int i = 0; i < 100_000; i++) {
            byte[] other = bytes.clone();
            int changes = 1 + random.nextInt(4);
            for (int change = 0; change < changes; change++) {
                other[1 + random.nextInt(bytes.length - 5)] = (byte) random.nextInt();
            }
            CRC32C checksum = new CRC32C();
            checksum.update(other, 0, other.length - 4);
            ByteBuffer.wrap(other).putInt(other.length - 4, (int) checksum.getValue());
            PeerEntry decoded = PeerCodec.decode(other);
            assertThat(decoded == null || !decoded.drops().isEmpty() || decoded.number() != 0)
                    .isTrue();
        }
    }

    @Test
    void wrote_severalTimesBeforeTheExecutorComes_isOneEntry() {
        PeerLink link = link(8);
        link.wrote(row(1));
        link.wrote(row(2));
        assertThat(tasks).hasSize(1);
        run();
        link.wrote(row(3));
        run();
        link.beat();
        run();
        assertThat(drops()).containsExactly(List.of(row(1), row(2)), List.of(row(3)), List.of());
    }

    @Test
    void wrote_moreThanAnEntryTakes_isADropOfEverythingAndThenRowsAgain() {
        PeerLink link = link(2);
        link.wrote(row(1));
        link.wrote(row(2));
        link.wrote(row(3));
        link.wrote(row(4));
        run();
        link.wrote(row(5));
        run();
        assertThat(drops()).containsExactly(List.of(new Drop.Everything()), List.of(row(5)));
    }

    @Test
    void heard_ofBytesThatAreNoEntry_isCountedAndElseIgnored() {
        PeerLink link = link(2);
        link.heard(new byte[] {1, 2, 3});
        link.heard(PeerCodec.encode(ENTRY));
        run();
        assertThat(link.unreadable()).isEqualTo(1);
    }
}
