package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.keyline.ycsb.StatementShape.Verb;

final class StatementShapeTest {
    private static String sql(Verb verb, String... fields) {
        return new StatementShape(verb, "usertable", Set.of(fields)).sql("YCSB_KEY");
    }

    @Test
    void sql_read_namesFieldsInOrder() {
        assertThat(sql(Verb.READ, "field2", "field1"))
                .isEqualTo("SELECT `field1`, `field2` FROM `usertable` WHERE `YCSB_KEY` = ?");
    }

    @Test
    void sql_readWithoutFields_readsAll() {
        assertThat(sql(Verb.READ)).isEqualTo("SELECT * FROM `usertable` WHERE `YCSB_KEY` = ?");
    }

    @Test
    void sql_scan_isARangeOfKeysInOrder() {
        assertThat(sql(Verb.SCAN, "field0"))
                .isEqualTo("SELECT `field0` FROM `usertable` WHERE `YCSB_KEY` >= ? ORDER BY `YCSB_KEY` LIMIT ?");
    }

    @Test
    void sql_insert_bindsKeyThenFields() {
        assertThat(sql(Verb.INSERT, "b", "a"))
                .isEqualTo("INSERT INTO `usertable` (`YCSB_KEY`, `a`, `b`) VALUES (?, ?, ?)");
    }

    @Test
    void sql_update_bindsFieldsThenKey() {
        assertThat(sql(Verb.UPDATE, "b", "a"))
                .isEqualTo("UPDATE `usertable` SET `a` = ?, `b` = ? WHERE `YCSB_KEY` = ?");
    }

    @Test
    void sql_delete_isByKey() {
        assertThat(sql(Verb.DELETE)).isEqualTo("DELETE FROM `usertable` WHERE `YCSB_KEY` = ?");
    }

    @Test
    void sql_nameThatIsNone_isRefused() {
        assertThatThrownBy(() -> sql(Verb.READ, "a` FROM x; --"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: letters, digits and underscores");
    }
}
