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

    @Test
    void withDatabase_ofAUrl_isTheSameServer() {
        Target other = new Target(Target.DEFAULT_URL, "root", "").withDatabase("ycsb_scans");
        assertThat(other.url()).isEqualTo(Target.DEFAULT_URL.replace("/ycsb?", "/ycsb_scans?"));
        assertThat(other.user()).isEqualTo("root");
    }

    @Test
    void address_ofAUrl_isThatOfItsFirstServer() {
        assertThat(new Target(Target.DEFAULT_URL, "root", "").address()).hasToString("/127.0.0.1:9030");
        assertThat(new Target("jdbc:mariadb://127.0.0.1/x", "root", "").address())
                .hasToString("/127.0.0.1:3306");
        assertThat(new Target("jdbc:mysql:loadbalance://127.0.0.2:1,127.0.0.3:2/x", "root", "").address())
                .hasToString("/127.0.0.2:1");
    }
}
