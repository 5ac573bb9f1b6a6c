package org.keyline.gateway.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.gateway.table.LoadSelect;
import org.keyline.protocol.CommandCode;
import org.keyline.rowcache.KeyReader;

/** A load's parameters for COM_STMT_EXECUTE. Must be released. Confined to one thread. */
final class LoadParameters implements LoadSelect.ValueWriter {
    private final ByteBuf types = Unpooled.buffer(32);
    private final ByteBuf values = Unpooled.buffer(64);
    private int count;

    @Override
    public void value(KeyColumn column, KeyReader key, ByteBuf sql) {
        sql.writeByte('?');
        types.writeShortLE(column.parameterType());
        column.parameter(key, values);
        count++;
    }

    /** Returns the command: statement id, no cursor, one iteration, no NULLs, types, values. */
    ByteBuf execute(int id) {
        ByteBuf payload = ByteBufAllocator.DEFAULT.buffer();
        payload.writeByte(CommandCode.COM_STMT_EXECUTE)
                .writeIntLE(id)
                .writeByte(0)
                .writeIntLE(1);
        payload.writeZero((count + 7) / 8).writeByte(1);
        return payload.writeBytes(types).writeBytes(values);
    }

    void release() {
        types.release();
        values.release();
    }
}
