package org.keyline.gateway.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

final class KeyColumnTest {
    private static final String BYTES = "utf8mb4_0900_bin";

    private static KeyColumn column(Kind kind, boolean unsigned, int length, int scale) {
        ColumnType type = new ColumnType(kind, unsigned, length, scale, kind == Kind.VARCHAR ? BYTES : null);
        return requireNonNull(KeyColumn.of(ColumnSchema.of("k", type, true)));
    }

    private static KeyColumn named(String name) {
        return switch (name) {
            case "tinyint" -> column(Kind.TINYINT, false, 4, 0);
            case "int" -> column(Kind.INT, false, 11, 0);
            case "bigint" -> column(Kind.BIGINT, false, 20, 0);
            case "bigint unsigned" -> column(Kind.BIGINT, true, 20, 0);
            case "largeint" -> column(Kind.LARGEINT, false, 40, 0);
            case "decimal" -> column(Kind.DECIMAL, false, 10, 2);
            case "date" -> column(Kind.DATE, false, 10, 0);
            case "datetime" -> column(Kind.DATETIME, false, 19, 0);
            case "datetime3" -> column(Kind.DATETIME, false, 23, 3);
            case "varchar" -> column(Kind.VARCHAR, false, 100, 0);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Returns the key of a literal, or null if the column refuses it. */
    private static byte @Nullable [] bound(KeyColumn column, String literal) {
        boolean negated = literal.startsWith("-");
        byte[] sql = ("SELECT " + literal).getBytes(UTF_8);
        Digester digester = new Digester();
        digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
        KeyEncoder key = new KeyEncoder();
        boolean exact = column.bind(new LiteralValues().of(digester, 4), 0, negated, key);
        assertThat(key.cells()).isEqualTo(exact ? 1 : 0);
        return exact ? key.toBytes() : null;
    }

    private static byte[] stored(KeyColumn column, String cell) {
        KeyEncoder key = new KeyEncoder();
        byte[] row = cell.getBytes(UTF_8);
        if (!column.text(row, 0, row.length, key)) {
            throw new IllegalStateException(cell + " has no key");
        }
        return key.toBytes();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "tinyint|-128|-128",
                "int|5|5",
                "int|'5'|5",
                "int|-2147483648|-2147483648",
                "int|005|5",
                "bigint|9223372036854775807|9223372036854775807",
                "bigint unsigned|18446744073709551615|18446744073709551615",
                "largeint|170141183460469231731687303715884105727|170141183460469231731687303715884105727",
                "largeint|-7|-7",
                "largeint|.0|0",
                "largeint|-.00|0",
                "decimal|-0|0.00",
                "decimal|1|1.00",
                "decimal|1.5|1.50",
                "decimal|-1.500|-1.50",
                "decimal|.25|0.25",
                "date|'2024-02-29'|2024-02-29",
                "datetime|'2024-02-29 23:59:59'|2024-02-29 23:59:59",
                "datetime|'2024-02-29 23:59:59.000'|2024-02-29 23:59:59",
                "datetime3|'2024-02-29 23:59:59.12'|2024-02-29 23:59:59.120",
                "varchar|'it''s \\\\ \"x\" 😀'|it's \\ \"x\" 😀",
                "varchar|''|~~",
                "varchar|'a '|a ",
            })
    void bind_valueOfTheColumn_isTheKeyOfTheStoredCell(String column, String literal, String cell) {
        assertThat(bound(named(column), literal)).isEqualTo(stored(named(column), cell));
    }

    /**
     * A read is not answered from a line if a store may convert, round or warn in its comparison.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "KeyColumnTest.bind_valueOfAnotherKind_isRefused.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void bind_valueOfAnotherKind_isRefused(String column, String literal) {
        assertThat(bound(named(column), literal)).isNull();
    }

    private static @Nullable KeyColumn text(Kind kind, String collation) {
        return KeyColumn.of(ColumnSchema.of("k", new ColumnType(kind, false, 10, 0, collation), true));
    }

    @ParameterizedTest
    @CsvSource({"utf8mb4_swedish_ci", "utf8mb4_0900_as_cs", "latin1_general_ci", "gbk_bin", "binary", "utf8mb4"})
    void of_textUnderAnotherCollation_isNoKeyColumn(String collation) {
        assertThat(text(Kind.VARCHAR, collation)).isNull();
    }

    /**
     * 'á' equals 'a' in this collation, so a line with such a row could not show whether 'a' is
     * absent.
     */
    @ParameterizedTest
    @CsvSource({
        "utf8mb4_general_ci, á",
        "utf8mb4_0900_ai_ci, á",
        "utf8mb4_unicode_ci, a\u0301b",
        "latin1_swedish_ci, Ä",
        "latin1_bin, €",
        "utf8mb3_bin, 😀",
        "utf8mb4_bin, '\t'",
    })
    void text_cellThatIsNotComparedByBytes_makesItsLoadFail(String collation, String cell) {
        KeyColumn column = requireNonNull(text(Kind.VARCHAR, collation));
        assertThat(bound(column, "'" + cell + "'")).isNull();
        assertThatThrownBy(() -> stored(column, cell)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            quoteCharacter = '~',
            value = {
                "utf8mb4_general_ci,'Ab c ',aB C",
                "utf8mb4_0900_ai_ci,'Ab',aB",
                "utf8mb4_bin,'Ab  ',Ab",
                "latin1_bin,'é',é",
            })
    void bind_valueThatTheCollationCallsEqual_isTheKeyOfTheStoredCell(String collation, String literal, String cell) {
        KeyColumn column = requireNonNull(text(Kind.VARCHAR, collation));
        assertThat(bound(column, literal)).isEqualTo(stored(column, cell));
    }

    @Test
    void bind_trailingSpaceWhereItCounts_isAnotherKey() {
        KeyColumn column = requireNonNull(text(Kind.VARCHAR, "utf8mb4_0900_ai_ci"));
        assertThat(bound(column, "'a '")).isNotEqualTo(bound(column, "'a'")).isNotNull();
        assertThat(bound(requireNonNull(text(Kind.CHAR, "utf8mb4_0900_ai_ci")), "'a '"))
                .isNull();
    }

    /** No row has a longer value, but some stores write its beginning. */
    @Test
    void bind_moreThanTheColumnHolds_isRefused() {
        KeyColumn bytes = requireNonNull(text(Kind.VARCHAR, BYTES));
        assertThat(bound(bytes, "'0123456789'")).isNotNull();
        assertThat(bound(bytes, "'01234567890'")).isNull();
        assertThat(bound(bytes, "'ééééé'")).isNotNull();
        assertThat(bound(bytes, "'éééééé'")).isNull();
        KeyColumn characters = requireNonNull(text(Kind.VARCHAR, "utf8mb4_bin"));
        assertThat(bound(characters, "'éééééééééé   '")).isNotNull();
        assertThat(bound(characters, "'ééééééééééé'")).isNull();
        assertThat(bound(named("decimal"), "99999999.99")).isNotNull();
        assertThat(bound(named("decimal"), "100000000.00")).isNull();
        assertThat(bound(named("largeint"), "170141183460469231731687303715884105728"))
                .isNull();
        assertThat(bound(column(Kind.DECIMAL, true, 10, 2), "-1")).isNull();
        assertThat(bound(column(Kind.BOOLEAN, false, 1, 0), "2")).isNull();
    }

    @Test
    void ordered_onlyWhereTheOrderWasHeldAgainstAStore() {
        assertThat(requireNonNull(text(Kind.VARCHAR, "utf8mb4_unicode_ci")).ordered())
                .isTrue();
        assertThat(requireNonNull(text(Kind.VARCHAR, "utf8mb4_0900_ai_ci")).ordered())
                .isFalse();
        assertThat(named("varchar").ordered()).isTrue();
    }

    @Test
    void literal_ofBytes_isHexadecimal() {
        ColumnType type = new ColumnType(Kind.VARBINARY, false, 4, 0, null);
        KeyColumn column = requireNonNull(KeyColumn.of(ColumnSchema.of("k", type, true)));
        byte[] key = requireNonNull(bound(column, "'a''\\\\'"));
        ByteBuf literal = Unpooled.buffer();
        column.literal(new KeyReader().wrap(key, 0, key.length), literal);
        assertThat(literal.toString(UTF_8)).isEqualTo("x'61275c'");
        assertThat(bound(column, "'abcde'")).isNull();
    }

    @ParameterizedTest
    @CsvSource({"tinyint", "bigint", "bigint unsigned", "largeint", "decimal", "date", "datetime3", "varchar"})
    void literal_ofAKey_bindsToTheSameKey(String name) {
        KeyColumn column = named(name);
        long seed = 20_261_121;
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            byte[] key = stored(column, cell(name, random));
            ByteBuf literal = Unpooled.buffer();
            column.literal(new KeyReader().wrap(key, 0, key.length), literal);
            String sql = literal.toString(UTF_8);
            // The digits of a type's lowest number do not fit the type without the sign, so it is
            // forwarded.
            if (!sql.equals("-9223372036854775808")) {
                assertThat(bound(column, sql)).as("seed %d: %s", seed, sql).isEqualTo(key);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"tinyint", "bigint", "bigint unsigned", "largeint", "decimal"})
    void keys_ofNumbers_areOrderedLikeThem(String name) {
        KeyColumn column = named(name);
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            String left = cell(name, random);
            String right = cell(name, random);
            int order = new java.math.BigDecimal(left).compareTo(new java.math.BigDecimal(right));
            assertThat(Integer.signum(Arrays.compareUnsigned(stored(column, left), stored(column, right))))
                    .as("%s and %s", left, right)
                    .isEqualTo(order);
        }
    }

    private static String cell(String name, Random random) {
        return switch (name) {
            case "tinyint" -> Integer.toString(random.nextInt(256) - 128);
            case "bigint" -> Long.toString(random.nextInt(3) == 0 ? random.nextInt(9) - 4 : random.nextLong());
            case "bigint unsigned" -> Long.toUnsignedString(random.nextLong());
            case "largeint" ->
                new BigInteger(127, random)
                        .multiply(BigInteger.valueOf(random.nextInt(3) - 1L))
                        .toString();
            case "decimal" ->
                new java.math.BigDecimal(BigInteger.valueOf(random.nextInt(2_000_000) - 1_000_000L), 2).toPlainString();
            case "date" ->
                java.time.LocalDate.of(1000, 1, 1)
                        .plusDays(random.nextInt(3_000_000))
                        .toString();
            case "datetime3" ->
                java.time.LocalDate.of(1000, 1, 1).plusDays(random.nextInt(3_000_000)) + " 12:34:56."
                        + String.format("%03d", random.nextInt(1000));
            default -> {
                StringBuilder text = new StringBuilder();
                for (int i = random.nextInt(6); i > 0; i--) {
                    text.appendCodePoint("aA'\\\"\0\n%_ä😀日 ".codePoints().toArray()[random.nextInt(13)]);
                }
                yield text.toString();
            }
        };
    }
}
