package org.keyline.gateway.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/** Types and collations that not every MariaDB has; {@link KeyComparisonIT} compares the others. */
final class KeyColumnTest {
    private static final String BYTES = "utf8mb4_0900_bin";
    private static final KeyColumn LARGEINT = column(Kind.LARGEINT, false, 40, 0);

    private static KeyColumn column(Kind kind, boolean unsigned, int length, int scale) {
        ColumnType type = new ColumnType(kind, unsigned, length, scale, kind == Kind.VARCHAR ? BYTES : null);
        return requireNonNull(KeyColumn.of(ColumnSchema.of("k", type, true)));
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
    @CsvSource({
        "170141183460469231731687303715884105727,170141183460469231731687303715884105727",
        "-7,-7",
        ".0,0",
        "-.00,0"
    })
    void bind_valueOfLargeint_isTheKeyOfTheStoredCell(String literal, String cell) {
        assertThat(bound(LARGEINT, literal)).isEqualTo(stored(LARGEINT, cell));
    }

    private static @Nullable KeyColumn text(Kind kind, String collation) {
        return KeyColumn.of(ColumnSchema.of("k", new ColumnType(kind, false, 10, 0, collation), true));
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
        assertThat(bound(LARGEINT, "170141183460469231731687303715884105728")).isNull();
        assertThat(bound(column(Kind.DECIMAL, true, 10, 2), "-1")).isNull();
        assertThat(bound(column(Kind.BOOLEAN, false, 1, 0), "2")).isNull();
    }

    @Test
    void ordered_onlyWhereTheOrderWasHeldAgainstAStore() {
        assertThat(requireNonNull(text(Kind.VARCHAR, "utf8mb4_unicode_ci")).ordered())
                .isTrue();
        assertThat(requireNonNull(text(Kind.VARCHAR, "utf8mb4_0900_ai_ci")).ordered())
                .isFalse();
        assertThat(requireNonNull(text(Kind.VARCHAR, BYTES)).ordered()).isTrue();
    }

    @Test
    void keysOfLargeint_areOrderedLikeTheirNumbers_andBoundByTheirLiterals() {
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            BigInteger left = largeint(random);
            BigInteger right = largeint(random);
            byte[] key = stored(LARGEINT, left.toString());
            assertThat(Integer.signum(Arrays.compareUnsigned(key, stored(LARGEINT, right.toString()))))
                    .as("%s and %s", left, right)
                    .isEqualTo(left.compareTo(right));
            ByteBuf literal = Unpooled.buffer();
            LARGEINT.literal(new KeyReader().wrap(key, 0, key.length), literal);
            assertThat(bound(LARGEINT, literal.toString(UTF_8))).isEqualTo(key);
        }
    }

    private static BigInteger largeint(Random random) {
        return new BigInteger(127, random).multiply(BigInteger.valueOf(random.nextInt(3) - 1L));
    }
}
