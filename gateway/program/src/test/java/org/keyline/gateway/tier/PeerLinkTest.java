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
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.TableName;

/** The bytes on the channel of a link. */
final class PeerLinkTest {
    private static final TableName TABLE = new TableName("db", "t\u00e4ble");
    private static final PeerEntry ENTRY = new PeerEntry(
            "a",
            -7,
            9,
            new VersionVector(Map.of(1L, 2L, -3L, 4L)),
            List.of(new Drop.Everything(), new Drop.Table(TABLE), new Drop.Rows(TABLE, 5, new byte[] {0, -1})));

    private final List<byte[]> sent = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private @Nullable Echoes echoes;

    private PeerLink link(int maxDrops) {
        Peers peers = new Peers("a", Set.of("a", "b"), 1, new Peers.Sizes(4, 1), () -> 100, new Peers.Listener() {
            @Override
            public void drop(Drop drop) {}

            @Override
            public void freshUpTo(long asOfNanos) {}
        });
        return new PeerLink(peers, sent::add, tasks::add, tasks::add, echoes, maxDrops * row(0).weight());
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
        link.received(new byte[] {1, 2, 3});
        link.received(PeerCodec.encode(ENTRY));
        run();
        assertThat(link.unreadable()).isEqualTo(1);
    }

    /**
     * Returns the other gateway's entry with the last of this one's numbers that it has received.
     */
    private static byte[] echo(long number, long heard) {
        return PeerCodec.encode(new PeerEntry("b", -7, number, new VersionVector(Map.of(1L, heard)), List.of()));
    }

    @Test
    void taken_isWhenTheDropsNumberIsEchoed() {
        echoes = new Echoes(later::add);
        PeerLink link = link(8);
        link.beat();
        link.wrote(row(1));
        CompletableFuture<Void> one = requireNonNull(link.taken()).toCompletableFuture();
        run();
        link.wrote(row(2));
        CompletableFuture<Void> other = requireNonNull(link.taken()).toCompletableFuture();
        link.received(echo(1, 1));
        run();
        // The heartbeat carried the first drop.
        assertThat(drops()).startsWith(List.of(row(1)));
        assertThat(one).isDone();
        assertThat(other).isNotDone();
        link.received(echo(2, sent.size() - 1));
        run();
        assertThat(other).isNotDone();
        link.received(echo(3, sent.size()));
        run();
        assertThat(other).isDone();
        assertThat(requireNonNull(link.taken()).toCompletableFuture()).isDone();
    }

    @Test
    void taken_withoutAnEcho_isOnceTheStalenessIsOver() {
        echoes = new Echoes(later::add);
        PeerLink link = link(8);
        link.wrote(row(1));
        CompletableFuture<Void> one = requireNonNull(link.taken()).toCompletableFuture();
        run();
        link.received(echo(1, 0));
        run();
        assertThat(one).isNotDone();
        later.forEach(Runnable::run);
        assertThat(one).isDone();
    }

    @Test
    void heard_ofDrops_isEchoedSoon() {
        echoes = new Echoes(later::add);
        PeerLink link = link(8);
        link.received(PeerCodec.encode(ENTRY));
        run();
        run();
        assertThat(sent).hasSize(1);
        assertThat(requireNonNull(PeerCodec.decode(sent.get(0))).seen().of(-7)).isEqualTo(9);
        link.received(echo(10, 1));
        run();
        run();
        assertThat(sent).hasSize(1);
    }
}
