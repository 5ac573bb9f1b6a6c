package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Order, equality, prefixes and decoding of keys, compared with the plain values. */
final class KeyEncoderPropertyTest {
    private static final int SEEDS = 300;
    private static final int KEYS_PER_SEED = 24;

    /** A column type: generates values, encodes and decodes them, and compares them. */
    private enum Column {
        INT64 {
            @Override
            Object value(SplittableRandom random) {
                return BigInteger.valueOf(edge(random));
            }

            @Override
            void write(KeyEncoder key, Object value) {
                key.int64(((BigInteger) value).longValueExact());
            }

            @Override
            Object read(KeyReader reader) {
                return BigInteger.valueOf(reader.int64());
            }
        },
        UINT64 {
            @Override
            Object value(SplittableRandom random) {
                return new BigInteger(Long.toUnsignedString(edge(random)));
            }

            @Override
            void write(KeyEncoder key, Object value) {
                key.uint64(((BigInteger) value).longValue());
            }

            @Override
            Object read(KeyReader reader) {
                return new BigInteger(Long.toUnsignedString(reader.uint64()));
            }
        },
        INT128 {
            @Override
            Object value(SplittableRandom random) {
                return wide(random, 16);
            }

            @Override
            void write(KeyEncoder key, Object value) {
                BigInteger number = (BigInteger) value;
                key.int128(number.shiftRight(64).longValueExact(), number.longValue());
            }

            @Override
            Object read(KeyReader reader) {
                return reader.int128();
            }
        },
        DECIMAL {
            @Override
            Object value(SplittableRandom random) {
                return wide(random, 1 + random.nextInt(33));
            }

            @Override
            void write(KeyEncoder key, Object value) {
                key.decimal((BigInteger) value);
            }

            @Override
            Object read(KeyReader reader) {
                return reader.decimal();
            }
        },
        BYTES {
            @Override
            Object value(SplittableRandom random) {
                byte[] value = new byte[random.nextInt(6)];
                for (int i = 0; i < value.length; i++) {
                    value[i] = new byte[] {0, 1, (byte) 0xFF, 'a'}[random.nextInt(4)];
                }
                return value;
            }

            @Override
            void write(KeyEncoder key, Object value) {
                byte[] bytes = (byte[]) value;
                byte[] padded = new byte[bytes.length + 2];
                System.arraycopy(bytes, 0, padded, 1, bytes.length);
                key.bytes(padded, 1, 1 + bytes.length);
            }

            @Override
            Object read(KeyReader reader) {
                return reader.bytes();
            }
        };

        abstract Object value(SplittableRandom random);

        abstract void write(KeyEncoder key, Object value);

        abstract Object read(KeyReader reader);

        static long edge(SplittableRandom random) {
            return switch (random.nextInt(4)) {
                case 0 -> random.nextLong();
                case 1 -> random.nextInt(-3, 4);
                case 2 -> Long.MIN_VALUE + random.nextInt(3);
                default -> Long.MAX_VALUE - random.nextInt(3);
            };
        }

        static BigInteger wide(SplittableRandom random, int bytes) {
            byte[] magnitude = new byte[bytes];
            random.nextBytes(magnitude);
            return random.nextBoolean() ? new BigInteger(magnitude) : BigInteger.valueOf(random.nextInt(-3, 4));
        }

        static int compare(@Nullable Object left, @Nullable Object right) {
            if (left == null || right == null) {
                return Boolean.compare(left != null, right != null);
            }
            return left instanceof byte[] bytes
                    ? Arrays.compareUnsigned(bytes, (byte[]) right)
                    : ((BigInteger) left).compareTo((BigInteger) right);
        }
    }

    @Test
    void keys_ofAllKinds_compareLikeTheirValues() {
        Seeds.forEach(1, SEEDS, random -> {
            Column[] columns = columns(random);
            List<@Nullable Object[]> keys = keys(random, columns);
            KeyEncoder left = new KeyEncoder();
            KeyEncoder right = new KeyEncoder();
            for (@Nullable Object[] a : keys) {
                for (@Nullable Object[] b : keys) {
                    encode(left, columns, a, columns.length);
                    encode(right, columns, b, columns.length);
                    int bytes = Arrays.compareUnsigned(left.toBytes(), right.toBytes());
                    assertThat(Integer.signum(bytes)).isEqualTo(Integer.signum(compare(a, b)));
                }
            }
        });
    }

    @Test
    void firstCells_areThePrefixAndSortBelow_andPrefixFFSortsAbove() {
        Seeds.forEach(1, SEEDS, random -> {
            Column[] columns = columns(random);
            KeyEncoder whole = new KeyEncoder();
            KeyEncoder some = new KeyEncoder();
            for (@Nullable Object[] values : keys(random, columns)) {
                int cells = random.nextInt(columns.length + 1);
                encode(whole, columns, values, columns.length);
                encode(some, columns, values, cells);
                assertThat(whole.cellEnd(cells)).isEqualTo(some.length());
                assertThat(Arrays.copyOf(whole.buffer(), some.length())).isEqualTo(some.toBytes());
                byte[] above = Arrays.copyOf(some.toBytes(), some.length() + 1);
                above[some.length()] = (byte) 0xFF;
                assertThat(Arrays.compareUnsigned(whole.toBytes(), above)).isNegative();
            }
        });
    }

    @Test
    void reader_givesBackWhatWasWritten() {
        Seeds.forEach(1, SEEDS, random -> {
            Column[] columns = columns(random);
            KeyEncoder key = new KeyEncoder();
            KeyReader reader = new KeyReader();
            KeyReader skipping = new KeyReader();
            for (@Nullable Object[] values : keys(random, columns)) {
                encode(key, columns, values, columns.length);
                reader.wrap(key.buffer(), 0, key.length());
                skipping.wrap(key.buffer(), 0, key.length());
                for (int i = 0; i < columns.length; i++) {
                    Object value = values[i];
                    if (value == null) {
                        assertThat(reader.next()).isEqualTo(KeyReader.Cell.NULL);
                        reader.nullCell();
                    } else {
                        assertThat(reader.next()).hasToString(columns[i].name());
                        assertThat(Column.compare(columns[i].read(reader), value))
                                .isZero();
                    }
                    skipping.skip();
                    assertThat(skipping.position()).isEqualTo(key.cellEnd(i + 1));
                }
                assertThat(reader.next()).isNull();
            }
        });
    }

    private static Column[] columns(SplittableRandom random) {
        Column[] columns = new Column[1 + random.nextInt(4)];
        Arrays.setAll(columns, i -> Column.values()[random.nextInt(Column.values().length)]);
        return columns;
    }

    private static List<@Nullable Object[]> keys(SplittableRandom random, Column[] columns) {
        List<@Nullable Object[]> keys = new ArrayList<>();
        for (int k = 0; k < KEYS_PER_SEED; k++) {
            @Nullable Object[] values = new @Nullable Object[columns.length];
            for (int i = 0; i < columns.length; i++) {
                boolean common = !keys.isEmpty() && random.nextInt(3) == 0;
                values[i] = common
                        ? keys.get(random.nextInt(keys.size()))[i]
                        : random.nextInt(6) == 0 ? null : columns[i].value(random);
            }
            keys.add(values);
        }
        return keys;
    }

    private static void encode(KeyEncoder key, Column[] columns, @Nullable Object[] values, int cells) {
        key.reset();
        for (int i = 0; i < cells; i++) {
            Object value = values[i];
            if (value == null) {
                key.nullCell();
            } else {
                columns[i].write(key, value);
            }
        }
    }

    private static int compare(@Nullable Object[] left, @Nullable Object[] right) {
        for (int i = 0; i < left.length; i++) {
            int order = Column.compare(left[i], right[i]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
}
