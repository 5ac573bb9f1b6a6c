package org.keyline.gateway.read;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.RowConditions;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.AutoPrefix;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.MissReason;
import org.keyline.planner.KeyPart;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;

/** Explains point reads, and flushes lines on request. Thread-safe. */
public final class ReadInspector {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * An explanation of a point read.
     *
     * @param obstacle why a session would forward the read now; null if it would not
     * @param conditions the conditions that do not bind the key; empty if there are none
     * @param granularity the number of key columns in a line's prefix, 0 if the table has no lines
     * @param chosen why the gateway chose this granularity; empty if it was configured
     * @param lines how many lines the read needs
     * @param linesPresent how many of these lines are in memory and fresh
     * @param ageMillis age of the oldest present line; -1 if none is present
     * @param rows the number of rows in the present lines
     * @param filter the conditions of the filter line that would answer the read, or that the read
     * would load; null for reads without filter lines
     * @param admission which misses begin a load, and why; empty if the table has no lines
     * @param wasted a warning that writes past the gateway drop lines before reads use them; empty
     * if they do not
     */
    public record Explanation(
            @Nullable MissReason obstacle,
            String key,
            String conditions,
            int granularity,
            String chosen,
            int lines,
            int linesPresent,
            long ageMillis,
            long rows,
            @Nullable String filter,
            String admission,
            String wasted) {}

    private final PointReads reads;

    public ReadInspector(PointReads reads) {
        this.reads = reads;
    }

    /** Explains how the read would be answered, without answering it or loading lines. */
    public Explanation explain(PlannedStatement statement, PointRead read, SlotValues values, ReadScope scope) {
        ReadShape shape = reads.shape(statement, read);
        if (shape == null) {
            return unanswerable(MissReason.NO_LINES, read, values, null, 0);
        }
        CachedTable table = shape.table();
        if (!table.lines().options().enabled()) {
            MissReason off = table.quarantined() ? MissReason.QUARANTINED : MissReason.SWITCHED_OFF;
            return unanswerable(off, read, values, table, 0);
        }
        FilterLines filters = shape.filters();
        if (filters != null && table.compares(read)) {
            return lookAtFilter(shape, filters, read, values, scope);
        }
        if (shape.lacksLines()) {
            AutoPrefix auto = table.auto();
            boolean willChange = auto != null && shape.mayTakeRanges() && !auto.refuses(shape.boundColumns(), now());
            MissReason obstacle = shape.obstacle(shape.template(scope), scope, now());
            return unanswerable(
                    willChange && obstacle == MissReason.GRANULARITY ? null : obstacle, read, values, table, 0);
        }
        return table.compares(read)
                ? lookAt(shape, read, values, scope)
                : unanswerable(MissReason.CONDITION, read, values, table, 0);
    }

    /** Returns conditions that only the store can evaluate, as text for people; empty if none. */
    public static String opaque(PointRead read, SlotValues values) {
        return ReadWords.opaque(read, values);
    }

    private static Explanation unanswerable(
            @Nullable MissReason why, PointRead read, SlotValues values, @Nullable CachedTable table, int lines) {
        int granularity = table == null ? 0 : table.prefixCells();
        String conditions = ReadWords.conditions(read, values);
        return new Explanation(
                why,
                ReadWords.key(read, values),
                conditions,
                granularity,
                chosen(table),
                lines,
                0,
                -1,
                0,
                null,
                table == null ? "" : table.admission().why(),
                "");
    }

    private static String chosen(@Nullable CachedTable table) {
        AutoPrefix auto = table == null ? null : table.auto();
        return auto == null ? "" : "auto, " + auto.figures().decision();
    }

    /** Returns whether the store has recently answered this shape for this user. */
    public boolean consented(PlannedStatement statement, PointRead read, ReadScope scope) {
        ReadShape shape = reads.shape(statement, read);
        Template template = shape == null ? null : shape.template(scope);
        return template != null && template.validAt(now());
    }

    private Explanation lookAt(ReadShape shape, PointRead read, SlotValues values, ReadScope scope) {
        CachedTable table = shape.table();
        long now = now();
        TupleKeys keys = new TupleKeys();
        if (!keys.bind(shape, values, new KeyEncoder())) {
            return unanswerable(
                    MissReason.VALUE, read, values, table, read.ranges().size());
        }
        int kind = scope.binary() ? CachedTable.BINARY : CachedTable.TEXT;
        long limit = PointReader.count(read.limit(), values, Long.MAX_VALUE);
        long offset = PointReader.count(read.offset(), values, 0);
        if (PointReader.isUnanswerable(read, limit, offset)) {
            return unanswerable(
                    MissReason.LIMIT_VALUE, read, values, table, read.ranges().size());
        }
        keys.find(table.lines(), new LineProbe(table.lines()), kind, Long.MAX_VALUE, now, shape.wanted(offset, limit));
        int lines = 0;
        Set<Line> present = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < keys.count(); i++) {
            Line line = keys.line(i);
            boolean shared = i > 0
                    && keys.sharesLine(i - 1, i)
                    && (line == null
                            || line.equals(keys.line(i - 1))
                            || !table.lines().isRanged());
            lines += shared ? 0 : 1;
            if (line != null) {
                present.add(line);
            }
        }
        long rows = 0;
        long oldest = -1;
        for (Line line : present) {
            rows += line.rows();
            oldest = Math.max(oldest, (now - line.loadBeganNanos()) / NANOS_PER_MILLI);
        }
        MissReason obstacle = shape.obstacle(shape.template(scope), scope, now);
        if (obstacle == null
                && present.size() < lines
                && !(shape.repliesAreLines() && reads.repliesAreLoads())
                && !table.admission().loadsAll()) {
            obstacle = MissReason.NOT_ADMITTED;
        }
        if (obstacle == null && present.size() < lines && shape.wantsWholeTable(offset, limit)) {
            obstacle = MissReason.MANY_LINES;
        }
        return new Explanation(
                obstacle,
                ReadWords.key(read, values),
                ReadWords.conditions(read, values),
                table.prefixCells(),
                chosen(table),
                lines,
                present.size(),
                oldest,
                rows,
                null,
                table.admission().why(),
                table.wasted(now));
    }

    private Explanation lookAtFilter(
            ReadShape shape, FilterLines filters, PointRead read, SlotValues values, ReadScope scope) {
        RowConditions conditions = RowConditions.bind(read, shape.table(), values);
        if (conditions == null) {
            return unanswerable(MissReason.VALUE, read, values, shape.table(), 0);
        }
        long now = now();
        Conjunction asked = conditions.conjunction();
        FilterLines.Found found = filters.find(asked, scope.kind(), Long.MAX_VALUE, now);
        MissReason obstacle = shape.obstacle(shape.template(scope), scope, now);
        if (obstacle == null && found == null) {
            boolean named = filters.name(asked) != null;
            boolean cached =
                    filters.admission().loadsAll() || (shape.repliesAreLines() && reads.repliesAreLoads(shape.table()));
            obstacle = named ? cached ? null : MissReason.NOT_ADMITTED : MissReason.MANY_CONDITIONS;
        }
        return new Explanation(
                obstacle,
                "",
                ReadWords.conditions(read, values),
                shape.table().prefixCells(),
                chosen(shape.table()),
                1,
                found == null ? 0 : 1,
                found == null ? -1 : (now - found.line().loadBeganNanos()) / NANOS_PER_MILLI,
                found == null ? 0 : found.line().rows(),
                filters.describe(found == null ? filters.wider().toLoad(asked) : found.of()),
                filters.admission().why(),
                shape.table().wasted(now));
    }

    /** Drops all lines and ends quarantines. */
    public void flush() {
        reads.tables().names().forEach(this::release);
        Fencing.flush(reads.tables().cache());
    }

    /** Drops the table's lines and ends its quarantine. */
    public void flush(TableName name) {
        release(name);
        Fencing.flush(reads.tables().cache(), name, reads.tables().lines(name), null);
    }

    /** Drops the table's filter lines here, and all of the table's lines in other gateways. */
    public void flushFilters(TableName name) {
        LineTable lines = reads.tables().lines(name);
        LineTable filters = lines == null ? null : lines.filters();
        if (filters != null) {
            filters.flush();
        }
        Fencing.flush(reads.tables().cache(), name, null, null);
    }

    private void release(TableName name) {
        CachedTable table = reads.tables().known(name);
        if (table != null) {
            table.release();
        }
    }

    /** Drops lines that can have rows under a prefix. False if a value has no exact key bytes. */
    public boolean flush(TableSchema schema, List<KeyPart> prefix, SlotValues values) {
        CachedTable table = reads.tables().of(schema);
        KeyEncoder key = new KeyEncoder();
        if (table != null && !table.bind(prefix, values, key)) {
            return false;
        }
        Fencing.flush(reads.tables().cache(), schema.name(), table == null ? null : table.lines(), key);
        return true;
    }

    private long now() {
        return reads.tables().cache().options().ticker().read();
    }
}
