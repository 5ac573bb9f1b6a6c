package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TargetTest {
    private static String database(String url) {
        return String.valueOf(new Target(url, "root", "").database());
    }

    @Test
    void database_defaultUrl_isYcsb() {
        assertThat(database(Target.DEFAULT_URL)).isEqualTo("ycsb");
    }

    @Test
    void database_schemeOfTwoParts_isFound() {
        assertThat(database("jdbc:mysql:loadbalance://a:1,b:2/bench")).isEqualTo("bench");
    }

    @Test
    void database_urlWithout_isNull() {
        assertThat(database("jdbc:mariadb://localhost:3306/?useServerPrepStmts=true"))
                .isEqualTo("null");
    }
}
