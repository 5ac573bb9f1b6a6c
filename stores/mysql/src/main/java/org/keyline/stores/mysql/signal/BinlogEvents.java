package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeader;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.GtidEventData;
import com.github.shyiko.mysql.binlog.event.MariadbGtidEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.stores.ChangeListener;

/**
 * Reports the changes of one binary log connection to a {@link ChangeListener}, and records the log
 * position up to which they are reported. Thread-safe.
 *
 * <p>A transaction counts as reported after its last event. A transaction that an interruption cut
 * off is reported again from its beginning.
 */
final class BinlogEvents {
    /** Types of events that change nothing. An event of any unlisted type can change anything. */
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

    /** The store's log position, read shortly after {@code asOfNanos}. */
    private record Mark(long asOfNanos, Gtids logged) {}

    private final ChangeListener listener;
    private final LoggedRows rows;
    private final LoggedStatements statements;

    // Guarded by this.
    private final Gtids reported;
    private @Nullable String transaction;
    private boolean grouped;
    private boolean broken;
    private @Nullable Mark mark;
    /** Reported transactions that the store's last log position did not include. */
    private @Nullable Gtids missing;

    private int misses;

    /** @param reported the position up to which changes are reported; updated by this object */
    BinlogEvents(Catalog catalog, ChangeListener listener, Gtids reported) {
        this.listener = listener;
        this.rows = new LoggedRows(catalog, listener);
        this.statements = new LoggedStatements(catalog, listener);
        this.reported = reported;
    }

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
            // A transaction without an id leaves no position from which to resume.
            case ANONYMOUS_GTID -> broken = true;
            case XID, XA_PREPARE -> ended();
            case QUERY -> query((LoggedQuery) data);
            case TABLE_MAP -> rows.map((TableMapEventData) data);
            default -> {
                if (!rows.report(data) && !HARMLESS.contains(header.getEventType())) {
                    listener.everything();
                }
            }
        }
        reportComplete();
    }

    synchronized void unread(@Nullable EventType type) {
        // A row event neither begins nor ends a transaction. Any other event may have done so.
        if (type != null && EventType.isRowMutation(type)) {
            rows.reportUnread();
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
     * Receives the store's log position {@code logged}.
     *
     * @param asOfNanos the moment at which the signal asked for the position
     * @param before the position up to which changes had been reported at that moment
     */
    synchronized void logged(long asOfNanos, Gtids before, Gtids logged) {
        Gtids expected = missing == null ? before : missing;
        if (!logged.cover(expected)) {
            // MySQL sends a transaction a moment before its log position includes the transaction.
            // If later positions still lack the transaction, the log was reset or replaced.
            missing = expected;
            broken |= ++misses >= MAX_MISSES;
            return;
        }
        missing = null;
        misses = 0;
        if (mark == null) {
            mark = new Mark(asOfNanos, logged);
            reportComplete();
        }
    }

    /** Returns whether events were possibly missed. */
    synchronized boolean isBroken() {
        return broken;
    }

    synchronized Gtids reported() {
        return reported.copy();
    }

    private void begun(String gtid, boolean grouped) {
        ended();
        transaction = gtid;
        this.grouped = grouped;
    }

    private void ended() {
        if (transaction != null) {
            reported.add(transaction);
            transaction = null;
        }
        rows.forget();
    }

    private void query(LoggedQuery query) {
        String sql = query.getSql();
        switch (sql) {
            case "BEGIN" -> grouped = true;
            case "COMMIT", "ROLLBACK" -> ended();
            default -> {
                statements.report(query);
                if (!grouped) {
                    ended();
                }
            }
        }
    }

    private void reportComplete() {
        Mark reached = mark;
        if (reached != null && !broken && reported.cover(reached.logged())) {
            mark = null;
            listener.complete(reached.asOfNanos());
        }
    }
}
