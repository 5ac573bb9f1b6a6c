package org.keyline.stores.mysql.signal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.keyline.stores.mysql.catalog.Dialect;

final class GtidsTest {
    private static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    private static Gtids maria(String text) {
        return Gtids.parse(Dialect.MARIADB, text);
    }

    private static Gtids mysql(String text) {
        return Gtids.parse(Dialect.MYSQL, text);
    }

    @Test
    void mariaDb_positionCoversWhatIsNotBehindItInAnyDomain() {
        Gtids position = maria("0-7-99,5-1-3");
        assertThat(position.cover(maria(""))).isTrue();
        assertThat(position.cover(maria("0-8-99"))).isTrue();
        assertThat(position.cover(maria("0-7-100"))).isFalse();
        assertThat(position.cover(maria("0-7-1,6-1-1"))).isFalse();
        position.add("0-8-100");
        assertThat(position.cover(maria("5-1-3,0-7-100"))).isTrue();
        assertThat(position).hasToString("0-8-100,5-1-3");
    }

    @Test
    void mySql_setCoversItsSubsets() {
        Gtids set = mysql(UUID + ":1-3,\n" + UUID.replace('3', '4') + ":7");
        assertThat(set.cover(mysql(""))).isTrue();
        assertThat(set.cover(mysql(UUID + ":2"))).isTrue();
        assertThat(set.cover(mysql(UUID + ":4"))).isFalse();
        set.add(UUID + ":5");
        assertThat(set.cover(mysql(UUID + ":1-5"))).as("4 is missing").isFalse();
        set.add(UUID + ":4");
        assertThat(set.cover(mysql(UUID + ":1-5"))).isTrue();
    }

    @Test
    void copy_doesNotChangeWithItsOriginal() {
        for (Gtids original : new Gtids[] {maria("0-7-1"), mysql(UUID + ":1")}) {
            Gtids copy = original.copy();
            original.add(original.toString().startsWith("0") ? "0-7-2" : UUID + ":2");
            assertThat(original.cover(copy)).isTrue();
            assertThat(copy.cover(original)).isFalse();
        }
    }
}
