package org.keyline.gateway.views;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.codec.Packets;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreException;

/** A whole reply in memory. Confined to an event loop but for {@link #packets}. */
final class CollectedReply implements ReplyListener {
    private final int maxBytes;
    private final List<ByteBuf> payloads = new ArrayList<>();
    private final CompletableFuture<List<ByteBuf>> done = new CompletableFuture<>();
    private long bytes;

    /** @param maxBytes of all packets; a longer reply fails */
    CollectedReply(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Completes with the payloads, none of which is an error; fails with what the client is to be told. */
    CompletableFuture<List<ByteBuf>> packets() {
        return done;
    }

    @Override
    public void packets(ByteBuf framed) {
        bytes += framed.readableBytes();
        if (bytes <= maxBytes) {
            while (framed.isReadable()) {
                int length = Packets.payloadLength(framed, framed.readerIndex());
                payloads.add(Unpooled.copiedBuffer(framed.slice(framed.readerIndex() + Packets.HEADER_BYTES, length)));
                framed.skipBytes(Packets.HEADER_BYTES + length);
            }
        }
        framed.release();
    }

    @Override
    public void end() {
        ByteBuf last = payloads.isEmpty() ? Unpooled.EMPTY_BUFFER : payloads.get(payloads.size() - 1);
        if (bytes > maxBytes) {
            fail(ErrPacket.of(
                    ErrorCode.ER_OUT_OF_RESOURCES, "The result is longer than " + maxBytes + " bytes; ask for less"));
        } else if (last.isReadable() && last.getUnsignedByte(0) == ErrPacket.HEADER) {
            fail(ErrPacket.decode(last));
        } else {
            done.complete(payloads);
        }
    }

    private void fail(ErrPacket error) {
        done.completeExceptionally(new StoreException(error));
    }

    @Override
    public void lost(Throwable cause) {
        done.completeExceptionally(cause);
    }
}
