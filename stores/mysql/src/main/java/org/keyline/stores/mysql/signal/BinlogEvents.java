package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeader;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.GtidEventData;
import com.github.shyiko.mysql.binlog.event.MariadbGtidEventData;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.stores.ChangeListener;

/**
 * What the events of one connection to a binary log tell, and how far they have been told. Thread-safe.
 *
 * <p>A transaction counts as told when its last event was, so that after an interruption it comes again from its beginning.
 */
final class BinlogEvents {
    /** Events that change nothing; what is in neither list may change anything. */
    private static final Set<EventType> HARMLESS = EnumSet.of(
            EventType.START_V3,
            EventType.STOP,
            EventType.ROTATE,
            EventType.FORMAT_DESCRIPTION,
            EventType.INTVAR,
            EventType.RAND,
            EventType.USER_VAR,
            EventType.HEARTBEAT,
            EventType.IGNORABLE,
            EventType.ROWS_QUERY,
            EventType.ANNOTATE_ROWS,
            EventType.BINLOG_CHECKPOINT,
            EventType.MARIADB_GTID_LIST,
            EventType.PREVIOUS_GTIDS,
            EventType.TRANSACTION_CONTEXT,
            EventType.VIEW_CHANGE);

    private static final int MAX_MISSES = 10;

    /** A moment, and how far the store had logged shortly after it. */
    private record Mark(long asOfNanos, Gtids logged) {}

    private final ChangeListener listener;
    private final LoggedRows rows;
    private final LoggedStatements statements;

    // Guarded by this.
    private final Gtids told;
    private @Nullable String transaction;
    private boolean grouped;
    private boolean broken;
    private @Nullable Mark mark;
    /** What has been told, and was not among what is logged when that was asked. */
    private @Nullable Gtids missing;

    private int misses;

    /** @param told how far has been told before; changed here */
    BinlogEvents(Catalog catalog, ChangeListener listener, Gtids told) {
        this.listener = listener;
        this.rows = new LoggedRows(catalog, listener);
        this.statements = new LoggedStatements(catalog, listener);
        this.told = told;
    }

    /** The next event. */
    synchronized void event(Event event) {
        EventHeader header = event.getHeader();
        EventData data = event.getData();
        switch (header.getEventType()) {
            case GTID -> begun(((GtidEventData) data).getMySqlGtid().toString(), false);
            case MARIADB_GTID -> {
                MariadbGtidEventData gtid = (MariadbGtidEventData) data;
                gtid.setServerId(header.getServerId());
                begun(gtid.toString(), (gtid.getFlags() & MariadbGtidEventData.FL_STANDALONE) == 0);
            }
            // Without an id nobody can tell where to go on.
            case ANONYMOUS_GTID -> broken = true;
            case XID, XA_PREPARE -> ended();
            case QUERY -> query((QueryEventData) data);
            case TABLE_MAP -> rows.map((TableMapEventData) data);
            default -> {
                if (!rows.tell(data) && !HARMLESS.contains(header.getEventType())) {
                    listener.everything();
                }
            }
        }
        tellComplete();
    }

    /** An event that could not be read. */
    synchronized void unread(@Nullable EventType type) {
        // Rows belong to no group of their own, anything else may have been the beginning or the end of one.
        if (type != null && EventType.isRowMutation(type)) {
            rows.tellUnread();
            return;
        }
        listener.everything();
        if (type == EventType.TABLE_MAP) {
            rows.unmapped();
        } else {
            broken = true;
        }
    }

    /**
     * How far the store has logged, asked for at a moment.
     *
     * @param before what had been told before that
     */
    synchronized void logged(long asOfNanos, Gtids before, Gtids logged) {
        Gtids expected = missing == null ? before : missing;
        if (!logged.cover(expected)) {
            // MySQL sends a transaction a moment before it counts it. If that lasts, the log was reset, or is another
            // one.
            missing = expected;
            broken |= ++misses >= MAX_MISSES;
            return;
        }
        missing = null;
        misses = 0;
        if (mark == null) {
            mark = new Mark(asOfNanos, logged);
            tellComplete();
        }
    }

    /** Whether it is not known any more what was missed. */
    synchronized boolean isBroken() {
        return broken;
    }

    /** How far has been told by now. */
    synchronized Gtids told() {
        return told.copy();
    }

    private void begun(String gtid, boolean grouped) {
        ended();
        transaction = gtid;
        this.grouped = grouped;
    }

    private void ended() {
        if (transaction != null) {
            told.add(transaction);
            transaction = null;
        }
        rows.forget();
    }

    private void query(QueryEventData query) {
        String sql = query.getSql();
        switch (sql) {
            case "BEGIN" -> grouped = true;
            case "COMMIT", "ROLLBACK" -> ended();
            default -> {
                statements.tell(sql, String.valueOf(query.getDatabase()));
                if (!grouped) {
                    ended();
                }
            }
        }
    }

    private void tellComplete() {
        Mark reached = mark;
        if (reached != null && !broken && told.cover(reached.logged())) {
            mark = null;
            listener.complete(reached.asOfNanos());
        }
    }
}
