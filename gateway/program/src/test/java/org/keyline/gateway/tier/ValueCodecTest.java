package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

/** Lines in serialised form. */
final class ValueCodecTest {
    private static final byte[] ORIGIN = {1, 2, 3};
    private static final VersionVector HEARD = new VersionVector(Map.of(1L, 2L, -3L, 4L));
    private static final int KIND = 1;
    private static final int MOST = 1 << 20;

    private final LineTable table =
            new RowCache(RowCacheOptions.of(1 << 20, 1, () -> 0, Runnable::run)).table(1, TableOptions.DEFAULT);
    private final KeyEncoder key = new KeyEncoder();

    /** Returns a line with rows of these lengths in bytes. */
    private Line line(int... lengths) {
        List<Line> made = new ArrayList<>();
        LineProbe probe = new LineProbe(table).aim(table, KIND, key.reset().int64(7));
        table.load(
                probe,
                load -> {
                    for (int i = 0; i < lengths.length; i++) {
                        byte[] row = row(i, lengths[i]);
                        load.row(key.reset().int64(7).int64(i), row, 0, row.length);
                    }
                    load.succeed();
                },
                new LoadListener() {
                    @Override
                    public void loaded(Line line) {
                        made.add(line);
                    }

                    @Override
                    public void failed(Throwable cause) {
                        throw new AssertionError(cause);
                    }

                    @Override
                    public void declined(Decline reason) {
                        throw new AssertionError(reason);
                    }
                });
        table.flush();
        return made.get(0);
    }

    private static byte[] row(int number, int length) {
        byte[] row = new byte[length];
        Arrays.fill(row, (byte) number);
        return row;
    }

    private static byte[] encoded(Line line) {
        return Objects.requireNonNull(ValueCodec.encode(ORIGIN, HEARD, line, MOST));
    }

    @Test
    void decode_ofALine_hasItsRowsAndWhatItsLoadHadHeard() throws ValueCodec.Unfit {
        for (int[] lengths : new int[][] {{}, {0}, {5}, {3, 0, 70_000}}) {
            Line line = line(lengths);
            ValueCodec.Value value = ValueCodec.decode(encoded(line), ORIGIN, KIND, line.prefix());
            assertThat(value.seen()).isEqualTo(HEARD);
            assertThat(value.rows()).hasSize(lengths.length);
            for (int i = 0; i < lengths.length; i++) {
                assertThat(value.rows().get(i)).isEqualTo(row(i, lengths[i]));
            }
        }
    }

    @Test
    void encode_ofALongLine_isNoValue() {
        assertThat(ValueCodec.encode(ORIGIN, HEARD, line(1_000), 1_000)).isNull();
        assertThat(ValueCodec.encode(ORIGIN, HEARD, line(0), 10)).isNull();
    }

    @Test
    void decode_ofADamagedValue_isRefused() {
        Line line = line(5, 6);
        byte[] whole = encoded(line);
        for (int at = 0; at < whole.length; at++) {
            for (int flip = 1; flip < 256; flip++) {
                byte[] damaged = whole.clone();
                damaged[at] ^= (byte) flip;
                assertRefused(damaged, ORIGIN, KIND, line.prefix(), true);
            }
            assertRefused(Arrays.copyOf(whole, at), ORIGIN, KIND, line.prefix(), true);
        }
        assertRefused(Arrays.copyOf(whole, whole.length + 1), ORIGIN, KIND, line.prefix(), true);
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] noise = new byte[random.nextInt(80)];
            random.nextBytes(noise);
            assertRefused(noise, ORIGIN, KIND, line.prefix(), true);
        }
    }

    @Test
    void decode_ofAnotherValue_isRefused() {
        Line line = line(5);
        byte[] value = encoded(line);
        byte[] other = line.prefix();
        other[other.length - 1]++;
        assertRefused(value, new byte[] {1, 2, 4}, KIND, line.prefix(), false);
        assertRefused(value, ORIGIN, KIND - 1, line.prefix(), false);
        assertRefused(value, ORIGIN, KIND, other, false);
        assertRefused(value, ORIGIN, KIND, new byte[0], false);
    }

    private static void assertRefused(byte[] value, byte[] origin, int kind, byte[] key, boolean damaged) {
        assertThatThrownBy(() -> ValueCodec.decode(value, origin, kind, key))
                .isInstanceOfSatisfying(
                        ValueCodec.Unfit.class,
                        unfit -> assertThat(unfit.damaged()).isEqualTo(damaged));
    }
}
