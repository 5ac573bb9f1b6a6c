package org.keyline.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * YCSB's core workload with stricter verification. With {@code dataintegrity=true}, YCSB verifies
 * only single reads. This class also verifies every row of a scan, and treats a missing field as an
 * error. Thread-safe.
 */
public final class VerifiedWorkload extends CoreWorkload {
    /*
     * The expected value of a field follows from its key. Computing this value for each row would
     * take longer than the read through a gateway, so expected rows are cached. If a row differs
     * from the cached one, YCSB's own verification decides.
     */
    /** The maximum number of cached rows, which take about 2 KB each. */
    private static final int MAX_REMEMBERED_ROWS = 1 << 16;

    private final Map<String, Map<String, String>> remembered = new ConcurrentHashMap<>();
    private int fieldBytes;
    private boolean verifying;

    @Override
    public void init(Properties properties) throws WorkloadException {
        super.init(properties);
        fieldBytes = Integer.parseInt(properties.getProperty(FIELD_LENGTH_PROPERTY, FIELD_LENGTH_PROPERTY_DEFAULT));
        verifying =
                Boolean.parseBoolean(properties.getProperty(DATA_INTEGRITY_PROPERTY, DATA_INTEGRITY_PROPERTY_DEFAULT));
    }

    @Override
    public void doTransactionScan(DB db) {
        super.doTransactionScan(verifying ? new VerifiedScans(db) : db);
    }

    @Override
    @SuppressWarnings("NonApiType") // the type is that of YCSB
    protected void verifyRow(String key, HashMap<String, ByteIterator> cells) {
        long began = System.nanoTime();
        boolean whole = cells.size() == (readallfields ? fieldcount : 1);
        if (!whole || !isRight(key, cells)) {
            super.verifyRow(key, whole ? cells : new HashMap<>()); // an empty row counts as an error
            return;
        }
        Measurements measurements = Measurements.getMeasurements();
        measurements.measure("VERIFY", (int) TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began));
        measurements.reportStatus("VERIFY", Status.OK);
    }

    private boolean isRight(String key, Map<String, ByteIterator> cells) {
        Map<String, String> row = remembered.get(key);
        if (row == null) {
            row = new HashMap<>();
            for (String field : cells.keySet()) {
                row.put(field, value(key, field, fieldBytes));
            }
            if (row.size() == fieldcount && remembered.size() < MAX_REMEMBERED_ROWS) {
                remembered.put(key, row);
            }
        }
        boolean right = !cells.isEmpty();
        for (Map.Entry<String, ByteIterator> cell : cells.entrySet()) {
            String value = cell.getValue().toString();
            cell.setValue(new StringByteIterator(value)); // iterators are read once
            right &= value.equals(row.get(cell.getKey()));
        }
        return right;
    }

    /** Returns the value that YCSB writes with {@code dataintegrity=true}. */
    static String value(String key, String field, int bytes) {
        StringBuilder value = new StringBuilder(bytes).append(key).append(':').append(field);
        while (value.length() < bytes) {
            value.append(':').append(value.toString().hashCode());
        }
        value.setLength(bytes);
        return value.toString();
    }

    /** Scans another database, and verifies the rows. Its other operations are not used. */
    @SuppressWarnings({"JdkObsolete", "NonApiType"}) // the types are those of YCSB
    private final class VerifiedScans extends KeylineClient {
        private final DB db;

        VerifiedScans(DB db) {
            this.db = db;
        }

        @Override
        public Status scan(
                String table,
                String startkey,
                int recordcount,
                @Nullable Set<String> fields,
                Vector<HashMap<String, ByteIterator>> result) {
            Status status = db.scan(table, startkey, recordcount, fields, result);
            String previous = "";
            for (HashMap<String, ByteIterator> row : result) {
                String key = keyOf(row);
                boolean ordered = key.compareTo(startkey) >= 0 && key.compareTo(previous) > 0;
                verifyRow(key, ordered ? row : new HashMap<>());
                previous = key;
            }
            return status;
        }
    }

    /** Returns the key, which precedes the colon in a value. Puts back an unread iterator. */
    private static String keyOf(Map<String, ByteIterator> row) {
        for (Map.Entry<String, ByteIterator> field : row.entrySet()) {
            String value = field.getValue().toString();
            field.setValue(new StringByteIterator(value));
            int colon = value.indexOf(':');
            return colon < 0 ? "" : value.substring(0, colon);
        }
        return "";
    }
}
