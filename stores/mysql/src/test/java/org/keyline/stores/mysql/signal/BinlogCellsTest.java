package org.keyline.stores.mysql.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;

final class BinlogCellsTest {
    private static @Nullable String text(ColumnType type, Serializable value) {
        byte[] text = BinlogCells.text(type, value);
        return text == null ? null : new String(text, StandardCharsets.UTF_8);
    }

    private static ColumnType whole(Kind kind, boolean unsigned) {
        return new ColumnType(kind, unsigned, 0, 0, null);
    }

    private static ColumnType text(String collation) {
        return new ColumnType(Kind.VARCHAR, false, 20, 0, collation);
    }

    private static long micros(String moment) {
        LocalDateTime at = LocalDateTime.parse(moment);
        return at.toEpochSecond(ZoneOffset.UTC) * 1_000_000 + at.getNano() / 1_000;
    }

    @Test
    void unsignedNumbers_areNotNegative() {
        assertThat(text(whole(Kind.TINYINT, true), -1)).isEqualTo("255");
        assertThat(text(whole(Kind.SMALLINT, true), -1)).isEqualTo("65535");
        assertThat(text(whole(Kind.MEDIUMINT, true), -1)).isEqualTo("16777215");
        assertThat(text(whole(Kind.INT, true), -1)).isEqualTo("4294967295");
        assertThat(text(whole(Kind.BIGINT, true), -1L)).isEqualTo("18446744073709551615");
    }

    @Test
    void momentsThatAreNotExactInTheLog_areUnknown() {
        ColumnType moment = new ColumnType(Kind.DATETIME, false, 0, 0, null);
        assertThat(text(moment, micros("1582-10-14T23:59:59"))).isNull();
        assertThat(text(moment, Long.MIN_VALUE)).as("the zero date").isNull();
        for (String day : new String[] {"2023-03-01", "2023-03-03", "2024-03-02", "2024-05-01", "2024-12-01"}) {
            assertThat(text(moment, micros(day + "T10:00:00")))
                    .as("perhaps the 29th to 31st of the month before, which has no such day")
                    .isNull();
        }
        for (String day :
                new String[] {"2024-03-03", "2023-03-04", "2024-05-02", "2024-01-01", "2024-02-01", "2024-08-01"}) {
            assertThat(text(ColumnType.of(Kind.DATE), micros(day + "T00:00:00")))
                    .isEqualTo(day);
        }
    }

    @Test
    void text_isUtf8OfAsMuchAsIsTheSameInTheStore() {
        assertThat(text(text("utf8mb4_bin"), "é€".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("é€");
        assertThat(text(text("latin1_bin"), "é".getBytes(StandardCharsets.ISO_8859_1)))
                .isEqualTo("é");
        assertThat(text(text("latin1_bin"), new byte[] {(byte) 0x80}))
                .as("the euro of Windows")
                .isNull();
        assertThat(text(text("ucs2_general_ci"), new byte[] {0, 'a'})).isNull();
    }

    @Test
    void valuesOfAnotherTypeThanTheColumns_areUnknown() {
        assertThat(text(whole(Kind.INT, false), 1L)).isNull();
        assertThat(text(whole(Kind.BIGINT, false), 1)).isNull();
        assertThat(text(text("utf8mb4_bin"), "text of a driver")).isNull();
        assertThat(text(ColumnType.of(Kind.DOUBLE), 1.5)).isNull();
    }
}
