package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The memory of a row and a line besides their own bytes: by their layout, and in the heap of this
 * machine.
 */
final class LineMemoryTest {
    private static final int ROW_BYTES = 1_041;
    private static final int LINES = 20_000;
    private static final int MAX_BYTES_PER_ROW = 16;
    private static final int MAX_BYTES_PER_LINE = 100;

    /**
     * Object, array header and header of one line, without the cache's own node, hash entry and
     * slot.
     */
    private static final int LINE_BYTES = 32 + 16 + Line.HEADER_BYTES;

    private final Fixture fixture = new Fixture(
            1L << 30, TableOptions.DEFAULT.withTtl(Duration.ofHours(1)).withCeilings(10_000, 1 << 24));

    @Test
    void layout_perRowAndPerLine_isWithinItsAims() {
        assertThat(Line.INDEX_BYTES).isLessThanOrEqualTo(MAX_BYTES_PER_ROW);
        assertThat(LINE_BYTES).isLessThanOrEqualTo(MAX_BYTES_PER_LINE);
        byte[] row = new byte[ROW_BYTES];
        KeyEncoder key = new KeyEncoder();
        fixture.read(1);
        Load load = fixture.takeLoad();
        Fixture.SessionAnswer outcome = fixture.read(1);
        int rows = 1_000;
        for (int i = 0; i < rows; i++) {
            load.row(key.reset().int64(1).int64(i), row, 0, row.length);
        }
        load.succeed();
        int own = rows * (ROW_BYTES + key.length() - key.cellEnd(1)) + key.cellEnd(1);
        assertThat(outcome.served().bytes().length - own).isEqualTo(Line.HEADER_BYTES + rows * Line.INDEX_BYTES);
    }

    @Test
    void heap_ofLinesWithOneRow_isWhatTheBudgetCounts() {
        byte[] row = new byte[ROW_BYTES];
        Fixture filled =
                new Fixture(1L << 30, TableOptions.DEFAULT.withPrefixCells(2).withTtl(Duration.ofHours(1)));
        KeyEncoder key = new KeyEncoder();
        LineProbe probe = new LineProbe(filled.table);
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        long empty = usedHeap();
        for (int i = 0; i < LINES; i++) {
            key.reset().int64(1).int64(i);
            filled.table.load(
                    probe.aim(filled.table, 0, key),
                    load -> {
                        load.row(key, row, 0, row.length);
                        load.succeed();
                    },
                    outcome);
        }
        outcome.line = null;
        long used = usedHeap() - empty;
        TableStats.Snapshot stats = filled.table.stats().snapshot();
        assertThat(stats.lines()).isEqualTo(LINES);
        double perLine = (double) used / LINES;
        double counted = (double) stats.bytes() / LINES;
        String figures = String.format(
                Locale.ROOT,
                "heap per line of one row of %d bytes and a key of %d: %.1f, counted %.1f, overhead %.1f",
                ROW_BYTES,
                key.length(),
                perLine,
                counted,
                perLine - ROW_BYTES - key.length());
        assertThat(perLine).as(figures).isBetween(counted * 0.93, counted * 1.03);
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }
}
