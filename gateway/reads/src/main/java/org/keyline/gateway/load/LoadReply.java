package org.keyline.gateway.load;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.codec.Packets;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreException;

/** Reads a reply to a load, without CLIENT_DEPRECATE_EOF. Confined to one event loop. */
abstract class LoadReply implements ReplyListener {
    private static final int OK = 0x00;
    private static final int EOF = 0xFE;
    private static final int ERR = 0xFF;
    private static final int MAX_EOF_LENGTH = 9;

    private enum State {
        COLUMN_COUNT,
        COLUMNS,
        END_OF_COLUMNS,
        ROWS,
        DONE
    }

    private State state = State.COLUMN_COUNT;
    private int columnsLeft;
    private final LastColumns columns;
    private byte[] row = new byte[512];

    /** @param columns the definitions of the session's last reply, which this reply replaces */
    LoadReply(LastColumns columns) {
        this.columns = columns;
    }

    /** Called with all column definitions, in an unmodifiable list. */
    abstract void columns(List<ColumnDefinition> complete);

    /** Called for each row. Its payload is {@code row[0..length)}. */
    abstract void row(byte[] row, int length);

    /** Called when the rows of this reply cannot form a line. {@link #done} follows. */
    abstract void unfit();

    /** Called at the successful end of the reply. */
    abstract void done();

    /** Called with the store's error, or when the session is lost. */
    abstract void failed(Throwable cause);

    @Override
    public final void packets(ByteBuf framed) {
        try {
            while (framed.isReadable()) {
                int length = framed.readUnsignedMediumLE();
                framed.skipBytes(1);
                int next = framed.readerIndex() + length;
                if (state != State.DONE) {
                    packet(framed, length);
                }
                framed.readerIndex(next);
            }
        } finally {
            framed.release();
        }
    }

    private void packet(ByteBuf in, int length) {
        int first = in.getUnsignedByte(in.readerIndex());
        if (first == ERR && state != State.COLUMNS) {
            end(new StoreException(ErrPacket.decode(in.readSlice(length))));
            return;
        }
        switch (state) {
            case COLUMN_COUNT -> {
                if (first == OK || length > MAX_EOF_LENGTH) {
                    end(new IllegalStateException("a load's SELECT was answered without a result set"));
                    return;
                }
                columnsLeft = (int) Lenenc.readInt(in);
                columns.begin();
                state = State.COLUMNS;
            }
            case COLUMNS -> {
                columns.add(in, length);
                if (--columnsLeft == 0) {
                    state = State.END_OF_COLUMNS;
                }
            }
            case END_OF_COLUMNS -> {
                columns(columns.end());
                state = State.ROWS;
            }
            case ROWS -> {
                if (first == EOF && length < MAX_EOF_LENGTH) {
                    state = State.DONE;
                    if (length > 2 && in.getUnsignedShortLE(in.readerIndex() + 1) > 0) {
                        // A virtual column can cause warnings for some rows. Hits would lack these
                        // warnings.
                        unfit();
                    }
                    done();
                } else if (length == Packets.MAX_PAYLOAD_BYTES) {
                    state = State.DONE;
                    unfit();
                    done();
                } else {
                    if (length > row.length) {
                        row = new byte[Math.max(length, 2 * row.length)];
                    }
                    in.readBytes(row, 0, length);
                    row(row, length);
                }
            }
            case DONE -> throw new AssertionError("packet after the end");
        }
    }

    private void end(Throwable cause) {
        state = State.DONE;
        failed(cause);
    }

    @Override
    public void end() {
        if (state != State.DONE) {
            end(new IllegalStateException("a load's reply was incomplete: " + state));
        }
    }

    @Override
    public void lost(Throwable cause) {
        if (state != State.DONE) {
            end(cause);
        }
    }
}
