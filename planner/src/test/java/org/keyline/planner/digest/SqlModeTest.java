package org.keyline.planner.digest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SqlModeTest {
    @Test
    void parse_modes_setsTheirFlags() {
        assertThat(SqlMode.parse("")).contains(SqlMode.DEFAULT);
        assertThat(SqlMode.parse("STRICT_TRANS_TABLES,NO_ZERO_DATE")).contains(SqlMode.DEFAULT);
        assertThat(SqlMode.parse("ansi_quotes, NO_BACKSLASH_ESCAPES")).contains(new SqlMode(true, true, false));
        assertThat(SqlMode.parse("ANSI")).contains(new SqlMode(true, false, true));
    }

    @Test
    void parse_dialect_isNotModelled() {
        assertThat(SqlMode.parse("PIPES_AS_CONCAT,ORACLE")).isEmpty();
    }
}
