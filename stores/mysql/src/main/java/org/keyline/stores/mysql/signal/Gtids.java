package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.GtidSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;

/** A server's log position as global transaction ids. Confined to one thread. */
abstract sealed class Gtids {
    static Gtids read(Dialect dialect, CatalogRows rows) throws ReadFailure {
        String[] said = {""};
        rows.query("SELECT @@GLOBAL." + dialect.loggedGtids(), row -> said[0] = row.required(1));
        return parse(dialect, said[0]);
    }

    static Gtids parse(Dialect dialect, String text) {
        String compact = text.replace("\n", "").replace(" ", "");
        return dialect.hasGtidDomains() ? MariaDb.of(compact) : new MySql(new GtidSet(compact));
    }

    abstract void add(String gtid);

    /** Returns whether this position includes {@code other}, from the same kind of server. */
    abstract boolean cover(Gtids other);

    abstract Gtids copy();

    /**
     * The last transaction of each domain. Within a domain, numbers ascend.
     *
     * @see <a href="https://mariadb.com/kb/en/gtid/">Global transaction ids</a>
     */
    private static final class MariaDb extends Gtids {
        private final Map<Long, String> last = new TreeMap<>();

        static MariaDb of(String text) {
            MariaDb position = new MariaDb();
            if (!text.isEmpty()) {
                for (String gtid : text.split(",", -1)) {
                    position.add(gtid);
                }
            }
            return position;
        }

        @Override
        void add(String gtid) {
            last.put(Long.parseLong(gtid.substring(0, gtid.indexOf('-'))), gtid);
        }

        private static long number(String gtid) {
            return Long.parseUnsignedLong(gtid.substring(gtid.lastIndexOf('-') + 1));
        }

        @Override
        boolean cover(Gtids other) {
            return other instanceof MariaDb position
                    && position.last.entrySet().stream().allMatch(domain -> {
                        String mine = last.get(domain.getKey());
                        return mine != null && Long.compareUnsigned(number(mine), number(domain.getValue())) >= 0;
                    });
        }

        @Override
        Gtids copy() {
            return of(toString());
        }

        @Override
        public String toString() {
            return last.values().stream().collect(Collectors.joining(","));
        }
    }

    /**
     * All transactions of each server.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/replication-gtids-concepts.html">Global
     * transaction ids</a>
     */
    private static final class MySql extends Gtids {
        private final GtidSet set;

        MySql(GtidSet set) {
            this.set = set;
        }

        @Override
        void add(String gtid) {
            set.addGtid(gtid);
        }

        @Override
        boolean cover(Gtids other) {
            return other instanceof MySql all && all.set.isContainedWithin(set);
        }

        @Override
        Gtids copy() {
            return new MySql(new GtidSet(set.toString()));
        }

        @Override
        public String toString() {
            return set.toString();
        }
    }
}
