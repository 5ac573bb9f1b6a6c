package org.keyline.stores.mysql.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class TableMapsTest {
    /** Logged by MySQL 9.7: {@code v.t (id INT PRIMARY KEY, e VECTOR(3), n VARCHAR(20))}. */
    private static final String VECTORS = "8c030000000001000176000174000303f20f030450000601010003043ffcff000d0103";

    private static TableMapEventData read(String hex) throws IOException {
        return new TableMaps()
                .deserialize(new ByteArrayInputStream(HexFormat.of().parseHex(hex)));
    }

    @Test
    void vector_isReadAsTheBlobThatItsRowsHave() throws IOException {
        TableMapEventData map = read(VECTORS);
        assertThat(map.getTableId()).isEqualTo(0x38C);
        assertThat(map.getDatabase()).isEqualTo("v");
        assertThat(map.getTable()).isEqualTo("t");
        assertThat(map.getColumnTypes())
                .containsExactly(ColumnType.LONG.getCode(), ColumnType.BLOB.getCode(), ColumnType.VARCHAR.getCode());
        assertThat(map.getColumnMetadata()).containsExactly(0, 4, 80);
    }

    /** So the table is known by its id, and no cell of its rows can be taken for a value. */
    @Test
    void aTypeThatIsNotKnown_makesTheTableOneWhoseRowsCannotBeRead() throws IOException {
        TableMapEventData map = read(VECTORS.replace("f2", "ee"));
        assertThat(map.getTableId()).isEqualTo(0x38C);
        assertThat(map.getDatabase()).isEqualTo("v");
        assertThat(map.getTable()).isEqualTo("t");
        assertThat(map.getColumnTypes()).hasSize(3).containsOnly(ColumnType.TINY_BLOB.getCode());
    }

    /**
     * As an event of this type that could not be read, after which the connection is still usable.
     */
    @Test
    void anEventThatIsCutOff_isAnIoException() {
        assertThatThrownBy(() -> read(VECTORS.substring(0, 30))).isInstanceOf(IOException.class);
    }
}
