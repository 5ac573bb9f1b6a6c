package org.keyline.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.fixtures.Hex;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Seeds;
import org.keyline.protocol.fixtures.Wire;

/** Rows in both protocols; golden bytes from the pages on text and binary result sets. */
@ExtendWith(LeakCheck.class)
final class RowsTest {
    private static final int[] EVERY_TYPE = {
        ColumnType.TINY,
        ColumnType.SHORT,
        ColumnType.INT24,
        ColumnType.LONG,
        ColumnType.LONGLONG,
        ColumnType.YEAR,
        ColumnType.FLOAT,
        ColumnType.DOUBLE,
        ColumnType.NEWDECIMAL,
        ColumnType.DATE,
        ColumnType.DATETIME,
        ColumnType.TIMESTAMP,
        ColumnType.TIME,
        ColumnType.BIT,
        ColumnType.ENUM,
        ColumnType.SET,
        ColumnType.JSON,
        ColumnType.GEOMETRY,
        ColumnType.TINY_BLOB,
        ColumnType.MEDIUM_BLOB,
        ColumnType.LONG_BLOB,
        ColumnType.BLOB,
        ColumnType.VAR_STRING,
        ColumnType.STRING,
        ColumnType.VARCHAR
    };

    @ParameterizedTest
    @CsvFileSource(resources = "RowsTest.binaryCell_documentedExample_hasTheseBytes.txt", quoteCharacter = '\'')
    void binaryCell_documentedExample_hasTheseBytes(String type, String value, String hex) {
        ColumnDefinition column = definition(code(type), 0, type.equals("FLOAT") || type.equals("DOUBLE") ? 31 : 6);
        // 120 days are an example of the documentation, but no valid TIME, so the writer refuses
        // them.
        byte[] row = value.startsWith("-120")
                ? Hex.bytes("00 00 " + hex)
                : binaryRow(List.of(column), writer -> writeExample(writer, type, value));
        assertThat(Hex.text(row)).isEqualTo("00 00 " + hex);
        BinaryRowReader reader = new BinaryRowReader(List.of(column));
        reader.read(row, 0, row.length);
        String shown = value.startsWith("-120") ? value.replace("-120 19", "-2899") : value.replace("0 00:", "00:");
        assertThat(reader.text(0, StandardCharsets.UTF_8)).isEqualTo(shown);
    }

    private static int code(String type) {
        return switch (type) {
            case "DATETIME" -> ColumnType.DATETIME;
            case "DATE" -> ColumnType.DATE;
            case "TIME" -> ColumnType.TIME;
            case "DOUBLE" -> ColumnType.DOUBLE;
            case "FLOAT" -> ColumnType.FLOAT;
            case "LONGLONG" -> ColumnType.LONGLONG;
            case "LONG" -> ColumnType.LONG;
            case "SHORT" -> ColumnType.SHORT;
            case "TINY" -> ColumnType.TINY;
            default -> ColumnType.VAR_STRING;
        };
    }

    private static void writeExample(RowWriter writer, String type, String value) {
        int micros = value.endsWith("1") ? 1 : 0;
        switch (type) {
            case "DATETIME" -> writer.dateTime(2010, 10, 17, 19, 27, 30, micros);
            case "DATE" -> {
                boolean zero = value.startsWith("0");
                writer.date(zero ? 0 : 2010, zero ? 0 : 10, zero ? 0 : 17);
            }
            case "TIME" -> writer.time(false, 0, 0, 0, 0);
            case "DOUBLE" -> writer.float64(10.2);
            case "FLOAT" -> writer.float32(10.2f);
            case "VAR_STRING" -> writer.string("foo");
            default -> writer.int64(1);
        }
    }

    @Test
    void textRow_documentedExample_hasTheseBytes() {
        byte[] row = textRow(
                List.of(definition(ColumnType.VAR_STRING, 0, 0)), w -> w.string("MySQL Community Server (GPL)"));
        assertThat(Hex.text(row)).startsWith("1c 4d 79 53 51 4c 20").hasSize(29 * 3 - 1);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "RowsTest.float64_asText_isWhatMySqlShows.txt", quoteCharacter = '\'')
    void float64_asText_isWhatMySqlShows(double value, String text) {
        assertThat(NumberText.float64(value, 31)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0.1, 0.1",
        "1.5, 1.5",
        "16777216, 16777200",
        "3.4028235e38, 3.40282e38",
        "1e-45, 1.4013e-45",
        "123456.7, 123457",
        "0.00001, 0.00001"
    })
    void float32_asText_hasSixDigits(float value, String text) {
        assertThat(NumberText.float32(value, 31)).isEqualTo(text);
    }

    @Test
    void float64_asText_readsBackExactly() {
        Seeds.tryAll(2000, random -> {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                assertThat(Double.parseDouble(NumberText.float64(value, 31))).isEqualTo(value);
            }
        });
    }

    @Test
    void rows_everyType_comeBackInBothProtocols() {
        Seeds.tryAll(300, random -> {
            List<ColumnDefinition> columns = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            List<Consumer<RowWriter>> cells = new ArrayList<>();
            for (int i = random.nextInt(30); i >= 0; i--) {
                Cell cell = Cell.random(random, EVERY_TYPE[random.nextInt(EVERY_TYPE.length)]);
                columns.add(cell.column());
                expected.add(cell.text());
                cells.add(cell.write());
            }
            Consumer<RowWriter> all = writer -> cells.forEach(cell -> cell.accept(writer));
            check(new TextRowReader(columns.size()), textRow(columns, all), expected);
            check(new BinaryRowReader(columns), binaryRow(columns, all), expected);
        });
    }

    private static void check(RowReader reader, byte[] row, List<String> expected) {
        byte[] shifted = new byte[row.length + 7];
        System.arraycopy(row, 0, shifted, 3, row.length);
        reader.read(shifted, 3, row.length);
        int end = -1;
        for (int i = 0; i < expected.size(); i++) {
            assertThat(reader.isNull(i))
                    .as("column %s", i)
                    .isEqualTo(expected.get(i).equals("NULL"));
            if (!reader.isNull(i)) {
                assertThat(reader.text(i, StandardCharsets.UTF_8))
                        .as("column %s", i)
                        .isEqualTo(expected.get(i));
                assertThat(reader.valueOffset(i) + reader.valueLength(i))
                        .isEqualTo(reader.cellOffset(i) + reader.cellLength(i));
            }
            assertThat(end == -1 || reader.cellOffset(i) == end).isTrue();
            end = reader.cellOffset(i) + reader.cellLength(i);
        }
        assertThat(end).isEqualTo(3 + row.length);
        reader.read(Unpooled.wrappedBuffer(row));
        assertThat(reader.columns()).isEqualTo(expected.size());
        for (int length = 0; length < row.length; length += 1 + row.length / 40) {
            int cut = length;
            assertThatThrownBy(() -> reader.read(row, 0, cut)).isInstanceOf(ProtocolException.class);
        }
    }

    /** One cell: its column, the call that writes it, and its text. */
    private record Cell(ColumnDefinition column, Consumer<RowWriter> write, String text) {
        static Cell random(Random random, int type) {
            boolean unsigned = random.nextBoolean();
            int decimals = random.nextInt(7);
            if (random.nextInt(6) == 0) {
                return new Cell(definition(type, 0, 0), RowWriter::nullCell, "NULL");
            }
            return switch (type) {
                case ColumnType.TINY -> integer(random, type, unsigned, 8);
                case ColumnType.SHORT -> integer(random, type, unsigned, 16);
                case ColumnType.INT24, ColumnType.LONG -> integer(random, type, unsigned, 32);
                case ColumnType.LONGLONG -> {
                    long value = Seeds.skewed(random);
                    yield unsigned
                            ? new Cell(
                                    definition(type, ColumnType.UNSIGNED_FLAG, 0),
                                    w -> w.uint64(value),
                                    Long.toUnsignedString(value))
                            : new Cell(definition(type, 0, 0), w -> w.int64(value), Long.toString(value));
                }
                case ColumnType.YEAR -> {
                    int year = random.nextInt(5) == 0 ? 0 : 1901 + random.nextInt(255);
                    yield new Cell(
                            definition(type, ColumnType.UNSIGNED_FLAG, 0),
                            w -> w.int64(year),
                            String.format("%04d", year));
                }
                case ColumnType.FLOAT -> {
                    float value = random.nextInt(100_000) / 64f;
                    yield new Cell(definition(type, 0, 31), w -> w.float32(value), NumberText.float32(value, 31));
                }
                case ColumnType.DOUBLE -> {
                    double value = random.nextGaussian();
                    yield new Cell(definition(type, 0, 31), w -> w.float64(value), NumberText.float64(value, 31));
                }
                case ColumnType.NEWDECIMAL -> {
                    String value = Seeds.skewed(random) + "." + random.nextInt(1000);
                    yield new Cell(definition(type, 0, 3), w -> w.decimal(value), value);
                }
                case ColumnType.DATE, ColumnType.DATETIME, ColumnType.TIMESTAMP -> dateTime(random, type, decimals);
                case ColumnType.TIME -> time(random, decimals);
                default -> {
                    String text = Seeds.text(random, random.nextInt(20) == 0 ? 30_000 : 300);
                    yield new Cell(definition(type, 0, 0), w -> w.string(text), text);
                }
            };
        }

        private static Cell integer(Random random, int type, boolean unsigned, int bits) {
            long value = unsigned
                    ? random.nextLong() & ((1L << bits) - 1)
                    : random.nextLong() >> (64 - bits) >> random.nextInt(bits);
            return new Cell(
                    definition(type, unsigned ? ColumnType.UNSIGNED_FLAG : 0, 0),
                    w -> w.int64(value),
                    Long.toString(value));
        }

        private static Cell dateTime(Random random, int type, int decimals) {
            boolean zero = random.nextInt(8) == 0;
            int year = zero ? 0 : random.nextInt(10_000);
            int month = zero ? 0 : 1 + random.nextInt(12);
            int day = zero ? 0 : 1 + random.nextInt(28);
            String date = String.format("%04d-%02d-%02d", year, month, day);
            if (type == ColumnType.DATE) {
                return new Cell(definition(type, 0, 0), w -> w.date(year, month, day), date);
            }
            int hour = random.nextInt(3) == 0 ? 0 : random.nextInt(24);
            int micros = micros(random, decimals);
            return new Cell(
                    definition(type, 0, decimals),
                    w -> w.dateTime(year, month, day, hour, 59, 0, micros),
                    date + String.format(" %02d:59:00", hour) + fraction(micros, decimals));
        }

        private static Cell time(Random random, int decimals) {
            boolean negative = random.nextBoolean();
            int hours = random.nextInt(839);
            int minutes = 1 + random.nextInt(59);
            int micros = micros(random, decimals);
            return new Cell(
                    definition(ColumnType.TIME, 0, decimals),
                    w -> w.time(negative, hours, minutes, 5, micros),
                    (negative ? "-" : "") + String.format("%02d:%02d:05", hours, minutes) + fraction(micros, decimals));
        }

        private static int micros(Random random, int decimals) {
            int unit = (int) Math.pow(10, 6 - decimals);
            return random.nextInt(1_000_000 / unit) * unit;
        }

        private static String fraction(int micros, int decimals) {
            return decimals == 0 ? "" : "." + String.format("%06d", micros).substring(0, decimals);
        }
    }

    /** The bitmap of a binary row starts at bit 2. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 6, 7, 13, 14, 15, 22, 1000})
    void binaryRow_allNull_setsTheBitsFromTwoOn(int columns) {
        List<ColumnDefinition> definitions = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            definitions.add(definition(ColumnType.LONG, 0, 0));
        }
        byte[] row = binaryRow(definitions, writer -> {
            for (int i = 0; i < columns; i++) {
                writer.nullCell();
            }
        });
        assertThat(row).hasSize(1 + (columns + 9) / 8);
        int bits = 0;
        for (int i = 1; i < row.length; i++) {
            bits += Integer.bitCount(row[i] & 0xFF);
        }
        assertThat(bits).isEqualTo(columns);
        assertThat(row[1] & 3).isZero();
    }

    @Test
    void write_valueThatDoesNotFit_isRefused() {
        assertThatThrownBy(() -> binaryRow(List.of(definition(ColumnType.TINY, 0, 0)), w -> w.int64(128)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> binaryRow(List.of(definition(ColumnType.LONGLONG, 0, 0)), w -> w.uint64(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> binaryRow(List.of(definition(ColumnType.LONG, 0, 0)), w -> w.string("1")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> textRow(List.of(definition(ColumnType.TIME, 0, 0)), w -> w.time(false, 839, 0, 0, 0)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void endRow_cellMissingOrTooMany_isRefused() {
        List<ColumnDefinition> one = List.of(definition(ColumnType.LONG, 0, 0));
        assertThatThrownBy(() -> textRow(one, w -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> binaryRow(one, w -> {
                    w.int64(1);
                    w.int64(2);
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    private static byte[] textRow(List<ColumnDefinition> columns, Consumer<RowWriter> cells) {
        return row(new TextRowWriter(columns), cells);
    }

    private static byte[] binaryRow(List<ColumnDefinition> columns, Consumer<RowWriter> cells) {
        return row(new BinaryRowWriter(columns), cells);
    }

    private static byte[] row(RowWriter writer, Consumer<RowWriter> cells) {
        return Wire.encode(out -> {
            writer.beginRow(out);
            cells.accept(writer);
            writer.endRow();
        });
    }

    private static ColumnDefinition definition(int type, int flags, int decimals) {
        return ColumnDefinition.of("c", Collation.UTF8MB4_GENERAL_CI, 255, type, flags, decimals);
    }
}
