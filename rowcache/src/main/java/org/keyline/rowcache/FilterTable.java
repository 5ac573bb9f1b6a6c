package org.keyline.rowcache;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filter lines of a table, which are identified by their conditions. A write of known rows
 * invalidates only the lines that may contain these rows.
 */
final class FilterTable extends LineTable {
    private final AddedRows added = new AddedRows();

    FilterTable(RowCache cache, long id, TableOptions options, TableStats stats, int closers) {
        super(cache, id, options, stats, null, closers);
    }

    /** @param rows the changed rows; an empty list drops all filter lines */
    void changed(List<AddedRow> rows) {
        if (rows.isEmpty()) {
            flush();
        } else {
            rows.forEach(added::passed);
        }
    }

    void closeFor(@Nullable AddedRow row) {
        if (row == null) {
            close();
        } else {
            fenceCloses();
            added.close(row);
            stats().fenceClosed();
        }
    }

    void openFor(@Nullable AddedRow row) {
        if (row == null) {
            open();
        } else {
            added.open(row);
            release(1);
        }
    }

    @Override
    boolean isOvertaken(Line line) {
        if (!(line instanceof FilterLine known)) {
            return true;
        }
        int number = added.number();
        if (number == known.addedNumber()) {
            return false;
        }
        if (added.since(known.addedNumber(), line)) {
            return true;
        }
        known.addedNumber(number);
        return false;
    }

    @Override
    boolean isOvertaken(Load load) {
        byte[] name = load.slot().bytes();
        return added.since(load.addedNumber(), name, 0, name.length);
    }

    @Override
    int addedNumber(Slot.Prefix name) {
        return added.numberOfOpen(name.bytes(), 0, name.bytes().length);
    }

    @Override
    Line line(Load load, byte[] bytes) {
        return new FilterLine(bytes, load.hash(), load.epoch(), load.beganNanos(), load.addedNumber());
    }
}
