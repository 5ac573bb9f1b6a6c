package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class KeyEncoderTest {
    private final KeyEncoder key = new KeyEncoder();

    @Test
    void cells_ofEveryKind_haveTheirBytes() {
        assertThat(hex(key.reset().nullCell())).isEqualTo("10");
        assertThat(hex(key.reset().int64(-1))).isEqualTo("207fffffffffffffff");
        assertThat(hex(key.reset().uint64(-1))).isEqualTo("21ffffffffffffffff");
        assertThat(hex(key.reset().int128(0, 1))).isEqualTo("2280000000000000000000000000000001");
        assertThat(hex(key.reset().decimal(0))).isEqualTo("2380");
        assertThat(hex(key.reset().decimal(258))).isEqualTo("23820102");
        assertThat(hex(key.reset().decimal(-258))).isEqualTo("237efefd");
        assertThat(hex(key.reset().bytes(new byte[] {'a', 0, 'b'}, 0, 3))).isEqualTo("306100ff620001");
    }

    @Test
    void bytes_byAMap_areThoseThatStandForThem() {
        byte[] map = new byte[256];
        map['a'] = 7;
        map['A'] = 7;
        map[0xFF] = 9;
        assertThat(hex(key.reset().bytes(new byte[] {'x', 'a', 'A', (byte) 0xFF, 0}, 1, 5, map)))
                .isEqualTo("3007070900ff0001");
        byte[] zeros = new byte[KeyEncoder.MAX_BYTES / 2];
        assertThat(key.reset().bytes(zeros, 0, zeros.length, map).fits()).isFalse();
        assertThat(key.reset().bytes(zeros, 0, zeros.length - 2, map).fits()).isTrue();
        assertThat(key.length()).isEqualTo(2 * (zeros.length - 2) + 3);
    }

    @Test
    void decimal_ofLongAndOfBigInteger_isTheSame() {
        for (long value : new long[] {0, 1, -1, 255, 256, -255, -256, Long.MAX_VALUE, Long.MIN_VALUE}) {
            String expected = hex(key.reset().decimal(value));
            assertThat(hex(key.reset().decimal(BigInteger.valueOf(value)))).isEqualTo(expected);
        }
    }

    @Test
    void cellEnd_isThePrefixOfTheKeyWithThatManyCells() {
        String first = hex(key.reset().int64(7));
        key.reset().int64(7).bytes(new byte[] {1}, 0, 1).nullCell();
        assertThat(key.cells()).isEqualTo(3);
        assertThat(hex(key).substring(0, 2 * key.cellEnd(1))).isEqualTo(first);
        assertThat(key.cellEnd(0)).isZero();
        assertThat(key.cellEnd(3)).isEqualTo(key.length());
    }

    @Test
    void truncate_retainsTheFirstCells() {
        key.reset().int64(1).int64(2).truncate(1).int64(3);
        assertThat(key.toBytes()).isEqualTo(new KeyEncoder().int64(1).int64(3).toBytes());
    }

    @Test
    void key_beyondItsBounds_doesNotFit() {
        byte[] zeros = new byte[KeyEncoder.MAX_BYTES / 2];
        assertThat(key.reset().bytes(zeros, 0, zeros.length).fits()).isFalse();
        assertThat(key.int64(1).fits()).as("stays so").isFalse();
        assertThat(key.reset().bytes(zeros, 0, zeros.length - 2).fits()).isTrue();

        key.reset();
        for (int i = 0; i < KeyEncoder.MAX_CELLS; i++) {
            assertThat(key.nullCell().fits()).isTrue();
        }
        assertThat(key.nullCell().fits()).isFalse();
        assertThat(key.cells()).isEqualTo(KeyEncoder.MAX_CELLS);

        assertThat(key.reset().decimal(BigInteger.ONE.shiftLeft(127 * 8 - 1)).fits())
                .isTrue();
        assertThat(key.reset().decimal(BigInteger.ONE.shiftLeft(127 * 8)).fits())
                .isFalse();
        assertThat(key.reset().fits()).as("again, after a reset").isTrue();
    }

    @Test
    void reader_ofWhatIsNoKey_refuses() {
        KeyReader reader = new KeyReader();
        for (String bytes : new String[] {"ff", "20", "2000", "23", "2381", "3061", "306100", "30610002"}) {
            byte[] broken = HexFormat.of().parseHex(bytes);
            assertThatThrownBy(() -> reader.wrap(broken, 0, broken.length).skip())
                    .as(bytes)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> reader.wrap(new byte[] {0x10}, 0, 1).int64())
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static String hex(KeyEncoder key) {
        return HexFormat.of().formatHex(key.toBytes());
    }
}
