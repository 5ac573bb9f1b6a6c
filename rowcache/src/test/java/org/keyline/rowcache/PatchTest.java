package org.keyline.rowcache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lines that a write changes in one row instead of dropping them. */
final class PatchTest {
    private static final RowChange LONGER = (kind, bytes, from, length) -> "a longer row".getBytes(UTF_8);

    private final Fixture fixture = new Fixture();
    private final Fence fence = fixture.cache.fence();

    private void load() {
        fixture.loaded(1, Map.of(10L, "ten"));
    }

    private @Nullable Patch close(Fence closing) {
        return closing.closeToPatch(fixture.table, Fixture.key(1, 10), null);
    }

    private Patch close() {
        return Objects.requireNonNull(close(fence), "nothing to patch");
    }

    @Test
    void open_afterARowChanged_hasTheLineWithItAndTheOldAge() {
        load();
        fixture.clock.advance(Duration.ofMillis(600));
        Patch patch = close();
        assertThat(fixture.find(1)).isNull();
        patch.row(LONGER, false);
        assertThat(fixture.find(1)).isNull();
        fence.open();

        assertThat(fixture.get(1, 10)).isEqualTo("a longer row");
        assertThat(fixture.get(1, 11)).isEqualTo("absent");
        assertThat(fixture.table.stats().snapshot().patches()).isEqualTo(1);
        fixture.checkInvariants();
        fixture.clock.advance(Duration.ofMillis(401));
        assertThat(fixture.find(1)).isNull();
    }

    @Test
    void open_ofALineOfSeveralRows_changesTheOneAlone() {
        fixture.loaded(1, Map.of(9L, "nine", 10L, "ten", 11L, "eleven"));
        close().row(LONGER, false);
        fence.open();
        assertThat(fixture.find(1)).isNull();

        fixture.loaded(1, Map.of(9L, "nine", 10L, "ten", 11L, "eleven"));
        close().row(LONGER, true);
        fence.open();
        assertThat(Fixture.texts(Objects.requireNonNull(fixture.find(1))))
                .containsExactly("nine", "a longer row", "eleven");
        assertThat(fixture.get(1, 11)).isEqualTo("eleven");
        assertThat(fixture.get(1, 9)).isEqualTo("nine");
        fixture.checkInvariants();
    }

    @Test
    void open_whereTheRowIsNotCertain_hasNoLine() {
        load();
        close();
        fence.open();
        assertThat(fixture.find(1)).isNull();

        load();
        close().row((kind, bytes, from, length) -> null, true);
        fence.open();
        assertThat(fixture.find(1)).isNull();

        load();
        close().row(LONGER, true);
        fence.dropPatch();
        fence.open();
        assertThat(fixture.find(1)).isNull();
    }

    @Test
    void open_whereAnotherWriteBeganMeanwhile_hasNoLine() {
        load();
        Fence other = fixture.cache.fence();
        Patch patch = close();
        assertThat(close(other)).isNull();
        other.open();
        patch.row(LONGER, true);
        fence.open();
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.table.slots().size()).isZero();
    }

    @Test
    void close_whereAnotherWriteIsUnderWay_takesNothing() {
        load();
        Fence other = fixture.cache.fence();
        other.close(fixture.table, Fixture.key(1, 11));
        assertThat(close(fence)).isNull();
    }

    @Test
    void close_behindAnotherWriteOfTheSameFence_takesNothing() {
        load();
        fence.close(fixture.table, Fixture.key(2, 1));
        assertThat(close(fence)).isNull();
    }

    @Test
    void close_ofMoreInTheSameFence_forgetsThePatch() {
        load();
        close().row(LONGER, true);
        fence.close(fixture.table, Fixture.key(1, 10));
        fence.open();
        assertThat(fixture.find(1)).isNull();
    }

    @Test
    void open_whereSomethingWasDroppedMeanwhile_hasNoLine() {
        load();
        Patch patch = close();
        KeyEncoder key = Fixture.key(1);
        fixture.table.flush(key.buffer(), 0, key.length());
        patch.row(LONGER, true);
        fence.open();
        assertThat(fixture.find(1)).isNull();

        load();
        Patch second = close();
        fixture.cache.flush();
        second.row(LONGER, true);
        fence.open();
        assertThat(fixture.find(1)).isNull();
    }

    @Test
    void open_whereTheTableWasClosedMeanwhile_hasNoLine() {
        load();
        Fence other = fixture.cache.fence();
        Patch patch = close();
        other.closeAll();
        other.open();
        patch.row(LONGER, true);
        fence.open();
        assertThat(fixture.find(1)).isNull();
    }

    @Test
    void open_whereTheTableWasReplacedMeanwhile_hasNoLine() {
        load();
        Patch patch = close();
        LineTable next = fixture.cache.replace(fixture.table, 99, TableOptions.DEFAULT);
        patch.row(LONGER, true);
        fence.open();
        assertThat(fixture.find(1)).isNull();
        LineProbe probe = new LineProbe(next).aim(next, Fixture.TEXT, Fixture.key(1));
        assertThat(next.find(probe, fixture.now())).isNull();
    }

    @Test
    void row_thatMakesTheLineTooLong_isNotPutBack() {
        load();
        close().row((kind, bytes, from, length) -> new byte[Patch.MAX_BYTES], true);
        fence.open();
        assertThat(fixture.find(1)).isNull();
    }

    @Test
    void row_thatTheLineDoesNotHave_isNotPutBack() {
        fixture.loaded(1, Map.of());
        close().row(LONGER, true);
        fence.open();
        assertThat(fixture.find(1)).isNull();
    }
}
