package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The path of a hit through the cache allocates nothing: key bytes, hash, line, row. */
final class HitAllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int LOOKUPS = 20_000;

    /** The cost of the measurement itself, and a buffer of the cache that is created once. */
    private static final long SLACK_BYTES = 4_096;

    private final Fixture fixture = new Fixture();
    private final KeyEncoder key = new KeyEncoder();
    private final LineProbe probe = new LineProbe(fixture.table);

    @Test
    void hit_onALineOrARange_allocatesNothing() {
        assumeTrue(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Map<Long, String> rows = new TreeMap<>();
        for (long row = 0; row < 20; row++) {
            rows.put(row, "row");
        }
        fixture.loaded(1, rows);
        fixture.table.options(fixture.table.options().withCeilings(5, 10_000));
        fixture.read(2, 3);
        fixture.serve(fixture.takeLoad(), 2, rows);

        long found = lookUp(WARM_UP);
        long before = threads.getCurrentThreadAllocatedBytes();
        found += lookUp(LOOKUPS);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(found).isEqualTo(2L * (WARM_UP + LOOKUPS));
        assertThat(allocated).isLessThan(SLACK_BYTES);
    }

    private long lookUp(int times) {
        long found = 0;
        for (int i = 0; i < times; i++) {
            found += hit(1) + hit(2);
        }
        return found;
    }

    private int hit(long prefix) {
        probe.aim(fixture.table, Fixture.TEXT, key.reset().int64(prefix).int64(3));
        Line line = fixture.table.find(probe, fixture.now());
        return line != null && line.find(probe.key(), probe.suffixFrom(), probe.to()) == 3 ? 1 : 0;
    }
}
