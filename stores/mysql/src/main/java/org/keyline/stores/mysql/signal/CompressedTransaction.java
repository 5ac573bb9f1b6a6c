package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.event.TransactionPayloadEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.util.ArrayList;

/** Skips a compressed transaction. {@link BinlogEvents} then assumes that it changed anything. */
final class CompressedTransaction {
    static final EventDataDeserializer<TransactionPayloadEventData> SKIPPED = CompressedTransaction::skip;

    private CompressedTransaction() {}

    private static TransactionPayloadEventData skip(ByteArrayInputStream in) {
        TransactionPayloadEventData unread = new TransactionPayloadEventData();
        unread.setUncompressedEvents(new ArrayList<>());
        return unread;
    }
}
