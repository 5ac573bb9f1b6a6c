package org.keyline.gateway.filter;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.ConditionText;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.FilterFigures;
import org.keyline.gateway.table.LoadAdmission;
import org.keyline.gateway.table.LoadSelect;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;

/** The filter lines of a table. Finds the smallest line with all rows of a read. Thread-safe. */
public final class FilterLines {
    /** Maximum size of a conjunction's identity, so that the key of a row fits after it. */
    private static final int MAX_IDENTITY_BYTES = 4 << 10;

    /** The phrase of KEYLINE LAST for a line of exactly the requested conditions. */
    public static final String EXACT = "of these conditions";

    public static final String CONTAINED = "of weaker conditions";

    /**
     * A line that has all requested rows.
     *
     * @param of the conjunction whose rows the line has
     */
    public record Found(Line line, Conjunction of) {}

    private final CachedTable table;
    private final LineTable lines;
    private final boolean inAnyOrder;
    private final LoadAdmission admission;
    private final WiderLoads wider = new WiderLoads();
    private final FilterIndex text = new FilterIndex();
    private final FilterIndex binary = new FilterIndex();

    private FilterLines(CachedTable table, LineTable lines, boolean inAnyOrder) {
        this.table = table;
        this.lines = lines;
        this.inAnyOrder = inAnyOrder;
        this.admission = new LoadAdmission(() -> figures().snapshot().hits(), lines::livesNanos);
    }

    /**
     * Returns the table's filter lines; null if it has none.
     *
     * @param inAnyOrder whether a statement without ORDER BY may get its rows in the order of the
     * key, even if the store would return another order
     */
    public static @Nullable FilterLines of(CachedTable table, boolean inAnyOrder) {
        LineTable lines = table.lines().filters();
        table.filtered();
        return lines == null ? null : new FilterLines(table, lines, inAnyOrder);
    }

    public LineTable lines() {
        return lines;
    }

    /** Returns the rule that decides whether a miss loads a line. */
    public LoadAdmission admission() {
        return admission;
    }

    /** Returns the rule that chooses which conditions of a read to load. */
    public WiderLoads wider() {
        return wider;
    }

    /** Returns whether a statement without ORDER BY may get its rows in the order of the key. */
    public boolean inAnyOrder() {
        return inAnyOrder;
    }

    public FilterFigures figures() {
        return table.figures().filters();
    }

    /** Returns a line's name, which is the first cell of its keys; null if the cell is too long. */
    public @Nullable KeyEncoder name(Conjunction conjunction) {
        byte[] identity = conjunction.identity();
        KeyEncoder name = new KeyEncoder().bytes(identity, 0, identity.length);
        return name.fits() && name.length() <= MAX_IDENTITY_BYTES ? name : null;
    }

    public FilterSelect select(Conjunction conjunction, KeyEncoder name) {
        return new FilterSelect(table, conjunction, this, name);
    }

    public String describe(Conjunction conjunction) {
        ByteBuf text = Unpooled.buffer();
        ConditionText.write(conjunction, table, LoadSelect.LITERALS, text);
        return text.toString(StandardCharsets.UTF_8);
    }

    public void hit(Conjunction asked, Conjunction of, long rowsExamined, long rowsAnswered) {
        figures().hit(of.equals(asked), rowsExamined, rowsAnswered);
        wider.hit(of);
    }

    public void loaded(Conjunction conjunction, int kind) {
        index(kind).add(conjunction);
    }

    /** Returns the smallest fresh line with all rows of a conjunction; null if no line has them. */
    public @Nullable Found find(Conjunction asked, int kind, long maxAgeNanos, long nowNanos) {
        LineProbe probe = new LineProbe(lines);
        Found smallest = null;
        FilterIndex index = index(kind);
        List<Conjunction> candidates = index.impliedBy(asked);
        for (Conjunction candidate : candidates) {
            KeyEncoder name = name(candidate);
            Line line = name == null
                    ? null
                    : lines.find(probe.aim(lines, kind, name).notOlderThan(maxAgeNanos), nowNanos);
            if (line != null) {
                if (smallest == null || line.rows() < smallest.line().rows()) {
                    smallest = new Found(line, candidate);
                }
            } else if (maxAgeNanos == Long.MAX_VALUE) {
                index.remove(candidate);
            }
        }
        return smallest;
    }

    private FilterIndex index(int kind) {
        return kind == CachedTable.BINARY ? binary : text;
    }
}
