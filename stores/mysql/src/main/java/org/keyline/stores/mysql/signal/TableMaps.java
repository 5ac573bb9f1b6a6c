package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.TableMapEventDataDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;

/**
 * Reads TABLE_MAP events without what the server may tell of the columns beyond their types, and with VECTOR as the BLOB that its rows have.
 * The library knows neither that type nor what is told of it. Confined to one connection.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/classmysql_1_1binlog_1_1event_1_1Table__map__event.html">Table_map_event</a>
 */
final class TableMaps implements EventDataDeserializer<TableMapEventData> {
    private static final int ID_AND_FLAGS_BYTES = 8;
    private static final int VECTOR = 242;

    private final TableMapEventDataDeserializer types = new TableMapEventDataDeserializer();

    @Override
    public TableMapEventData deserialize(ByteArrayInputStream in) throws IOException {
        byte[] event = in.read(in.available());
        try {
            ByteArrayInputStream rest = new ByteArrayInputStream(event);
            rest.skip(ID_AND_FLAGS_BYTES);
            rest.skip(rest.read() + 1);
            rest.skip(rest.read() + 1);
            int columns = rest.readPackedInteger();
            int typesAt = rest.getPosition();
            for (int i = typesAt; i < typesAt + columns; i++) {
                if ((event[i] & 0xFF) == VECTOR) {
                    event[i] = (byte) ColumnType.BLOB.getCode();
                }
            }
            rest.skip(columns);
            rest.skip(rest.readPackedInteger());
            int end = rest.getPosition() + (columns + 7) / 8;
            return types.deserialize(new ByteArrayInputStream(new java.io.ByteArrayInputStream(event, 0, end)));
        } catch (RuntimeException e) {
            throw new IOException("a TABLE_MAP event that is not understood", e);
        }
    }
}
