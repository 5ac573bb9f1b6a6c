package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.TableMapEventDataDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Reads TABLE_MAP events. Skips optional metadata, and reads VECTOR as the BLOB that rows contain,
 * because the library supports neither. If a table has any other type that the library does not
 * know, such as MariaDB's compressed types, its rows are unreadable. Confined to one connection.
 *
 * @see <a
 * href="https://dev.mysql.com/doc/dev/mysql-server/latest/classmysql_1_1binlog_1_1event_1_1Table__map__event.html">Table_map_event</a>
 */
final class TableMaps implements EventDataDeserializer<TableMapEventData> {
    private static final int ID_BYTES = 6;
    private static final int ID_AND_FLAGS_BYTES = 8;
    private static final int VECTOR = 242;
    /** Replaces all types of a table that has an unknown type, so that its rows are unreadable. */
    private static final byte UNREADABLE = (byte) ColumnType.TINY_BLOB.getCode();

    private final TableMapEventDataDeserializer types = new TableMapEventDataDeserializer();

    // The last event, which the store repeats before each write to the same table.
    private byte[] lastEvent = {};
    private TableMapEventData lastMap = new TableMapEventData();

    @Override
    public TableMapEventData deserialize(ByteArrayInputStream in) throws IOException {
        byte[] event = in.read(in.available());
        if (!Arrays.equals(event, lastEvent)) {
            lastMap = read(event.clone());
            lastEvent = event;
        }
        return lastMap;
    }

    /** @param event the bytes of the event, which this method changes */
    private TableMapEventData read(byte[] event) throws IOException {
        try {
            ByteArrayInputStream rest = new ByteArrayInputStream(event);
            long id = rest.readLong(ID_BYTES);
            rest.skip(ID_AND_FLAGS_BYTES - ID_BYTES);
            String schema = name(rest);
            String table = name(rest);
            int columns = rest.readPackedInteger();
            int typesAt = rest.getPosition();
            boolean readable = true;
            for (int i = typesAt; i < typesAt + columns; i++) {
                if ((event[i] & 0xFF) == VECTOR) {
                    event[i] = (byte) ColumnType.BLOB.getCode();
                }
                readable &= ColumnType.byCode(event[i] & 0xFF) != null;
            }
            if (!readable) {
                // The metadata of an unknown type has an unknown length.
                return unreadable(id, schema, table, columns);
            }
            rest.skip(columns);
            rest.skip(rest.readPackedInteger());
            int end = rest.getPosition() + (columns + 7) / 8;
            return types.deserialize(new ByteArrayInputStream(new java.io.ByteArrayInputStream(event, 0, end)));
        } catch (RuntimeException e) {
            throw new IOException("a TABLE_MAP event that is not understood", e);
        }
    }

    private static String name(ByteArrayInputStream in) throws IOException {
        String name = new String(in.read(in.read()), StandardCharsets.UTF_8);
        in.skip(1);
        return name;
    }

    private static TableMapEventData unreadable(long id, String schema, String table, int columns) {
        TableMapEventData map = new TableMapEventData();
        byte[] types = new byte[columns];
        Arrays.fill(types, UNREADABLE);
        map.setTableId(id);
        map.setDatabase(schema);
        map.setTable(table);
        map.setColumnTypes(types);
        map.setColumnMetadata(new int[columns]);
        map.setColumnNullability(new BitSet(columns));
        return map;
    }
}
