package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.keyline.stores.duckdb.engine.Database;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Errors;

/**
 * Assigns AUTO_INCREMENT values. A table is identified by the id of its definition. The file stores
 * an upper bound of each table's assigned values. After a restart, assignment begins above this
 * bound, so that no value is assigned twice. Thread-safe.
 */
public final class AutoIncrements {
    /** The number of values by which one write increases the bound. */
    private static final long BLOCK = 1_000;

    private final Map<Long, Counter> counters = new ConcurrentHashMap<>();
    private final Database database;

    public AutoIncrements(Database database) {
        this.database = database;
    }

    /** The highest value that was assigned or stored, and the bound in the file. */
    private static final class Counter {
        private long highest;
        private long bound;
    }

    /**
     * Takes the next values.
     *
     * @param count the number of values
     * @param inTable returns the highest value in the table, 0 if it is empty; called once
     * @return the first of the values, which are consecutive
     */
    long next(long table, long count, LongSupplier inTable) {
        Counter counter = counter(table, inTable);
        synchronized (counter) {
            long first = counter.highest + 1;
            raise(table, counter, counter.highest + count);
            return first;
        }
    }

    void used(long table, long value, LongSupplier inTable) {
        Counter counter = counter(table, inTable);
        synchronized (counter) {
            if (value > counter.highest) {
                raise(table, counter, value);
            }
        }
    }

    private void raise(long table, Counter counter, long highest) {
        if (highest > counter.bound) {
            long bound = highest + BLOCK;
            write(table, bound);
            counter.bound = bound;
        }
        counter.highest = highest;
    }

    private Counter counter(long table, LongSupplier inTable) {
        return counters.computeIfAbsent(table, id -> {
            Counter counter = new Counter();
            counter.bound = read(id);
            counter.highest = Math.max(counter.bound, inTable.getAsLong());
            return counter;
        });
    }

    private long read(long table) {
        try (EngineConnection connection = database.connect()) {
            return connection.number("SELECT max(bound) FROM __keyline.ids WHERE table_id = ?", List.of(table));
        } catch (SQLException e) {
            throw Errors.of(e);
        }
    }

    private void write(long table, long bound) {
        try (EngineConnection connection = database.connect()) {
            connection.begin();
            connection.update("DELETE FROM __keyline.ids WHERE table_id = ?", List.of(table));
            connection.update("INSERT INTO __keyline.ids VALUES (?, ?)", List.of(table, bound));
            connection.commit();
        } catch (SQLException e) {
            throw Errors.of(e);
        }
    }

    /** Lowers the bounds in the file to the highest values, so that a restart leaves no gap. */
    public void close() {
        counters.forEach((table, counter) -> {
            synchronized (counter) {
                if (counter.highest < counter.bound) {
                    counter.bound = counter.highest;
                    write(table, counter.bound);
                }
            }
        });
    }
}
