package org.keyline.rowcache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class LineTest {
    private final Fixture fixture = new Fixture();

    @Test
    void rows_fedInAnyOrder_lieInKeyOrderAndNextToEachOther() {
        fixture.read(1);
        Load load = fixture.takeLoad();
        Fixture.SessionAnswer outcome = fixture.read(1);
        fixture.feed(load, 1, 30, "c");
        fixture.feed(load, 1, 10, "aa");
        fixture.feed(load, 1, 20, "");
        load.succeed();
        Line line = outcome.served();
        assertThat(Fixture.texts(line)).containsExactly("aa", "", "c");
        assertThat(line.rowOffset(3)).isEqualTo(line.bytes().length);
        assertThat(new String(line.bytes(), line.rowOffset(0), line.rowOffset(3) - line.rowOffset(0), UTF_8))
                .isEqualTo("aac");
        assertThat(line.suffixLength(0)).isEqualTo(9);
        assertThat(line.suffixLength(2)).isEqualTo(9);
        assertThatThrownBy(() -> line.rowOffset(4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> line.suffixOffset(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void search_againstASortedMap_agrees() {
        Seeds.forEach(1, 200, random -> {
            TreeMap<byte[], String> reference = new TreeMap<>(Arrays::compareUnsigned);
            LineBuilder builder = new LineBuilder();
            for (int i = random.nextInt(40); i > 0; i--) {
                byte[] suffix = suffix(random.nextInt(12), random.nextInt(5));
                if (reference.putIfAbsent(suffix, "row " + i) == null) {
                    byte[] row = ("row " + i).getBytes(UTF_8);
                    builder.add(suffix, 0, suffix.length, row, 0, row.length);
                }
            }
            byte[] array = builder.build((byte) 0, LineKey.WHOLE, new byte[] {1}, Bytes.NONE, null);
            Line line = new Line(Objects.requireNonNull(array), 0, fixture.table.epoch(), 0);
            assertThat(line.rows()).isEqualTo(reference.size());
            assertThat(Fixture.texts(line)).containsExactlyElementsOf(reference.values());
            for (int first = -1; first < 13; first++) {
                byte[] group = Fixture.key(first).toBytes();
                byte[] above = Arrays.copyOf(group, group.length + 1);
                above[group.length] = (byte) 0xFF;
                assertThat(line.first(group, 0, group.length))
                        .isEqualTo(reference.headMap(group).size());
                assertThat(line.firstAfter(group, 0, group.length))
                        .isEqualTo(reference.headMap(above).size());
                for (int second = 0; second < 5; second++) {
                    byte[] suffix = suffix(first, second);
                    int below = reference.headMap(suffix).size();
                    assertThat(line.find(suffix, 0, suffix.length))
                            .isEqualTo(reference.containsKey(suffix) ? below : -1 - below);
                    for (int row = 0; row <= below; row++) {
                        assertThat(line.first(row, suffix, 0, suffix.length)).isEqualTo(below);
                    }
                }
            }
        });
    }

    @Test
    void ranges_againstBounds_coverWhatLiesWithin() {
        byte[] lower = suffix(3, 3);
        byte[] upper = suffix(7, 7);
        byte[] array = new LineBuilder().build((byte) 0, LineKey.RANGE, new byte[] {1}, lower, upper);
        Line line = new Line(Objects.requireNonNull(array), 0, fixture.table.epoch(), 0);
        assertThat(covers(line, lower)).isTrue();
        assertThat(covers(line, suffix(3, 2))).isFalse();
        assertThat(covers(line, suffix(7, 6))).isTrue();
        assertThat(covers(line, upper)).isFalse();
        assertThat(covers(line, Fixture.key(3).toBytes()))
                .as("some of the group lie below")
                .isFalse();
        assertThat(covers(line, Fixture.key(5).toBytes())).isTrue();
        assertThat(covers(line, Fixture.key(7).toBytes()))
                .as("some of the group lie above")
                .isFalse();
        assertThat(covers(line, Bytes.NONE)).isFalse();
    }

    private static boolean covers(Line line, byte[] suffix) {
        return line.covers(suffix, 0, suffix.length);
    }

    private static byte[] suffix(long first, long second) {
        return Fixture.key(first, second).toBytes();
    }
}
