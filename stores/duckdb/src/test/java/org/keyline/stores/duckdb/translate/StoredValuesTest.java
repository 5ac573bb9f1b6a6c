package org.keyline.stores.duckdb.translate;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;

/** Values of placeholders that no literal has. */
final class StoredValuesTest {
    @ParameterizedTest
    @EnumSource(
            value = ColumnType.Kind.class,
            names = {"TINYINT", "BIGINT", "BIT", "DOUBLE", "DECIMAL"})
    void doubleThatIsNoNumber_isOutOfRange(ColumnType.Kind kind) {
        ColumnSchema column = ColumnSchema.of("c", new ColumnType(kind, false, 8, 2, null), true);
        for (double value : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertThatThrownBy(() -> StoredValues.of(value, column)).hasMessageContaining("Out of range value");
        }
    }
}
