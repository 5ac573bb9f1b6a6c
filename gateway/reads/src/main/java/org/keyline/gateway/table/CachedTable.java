package org.keyline.gateway.table;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.gateway.key.SlotValues;
import org.keyline.planner.ColumnType;
import org.keyline.planner.Condition;
import org.keyline.planner.KeyBound;
import org.keyline.planner.KeyPart;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.codec.BinaryRowReader;
import org.keyline.protocol.codec.RowReader;
import org.keyline.protocol.codec.TextRowReader;
import org.keyline.rowcache.Ghosts;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.PartitionSpans;

/** A table's definition, the conversion of its keys to bytes, and its lines. Thread-safe. */
public final class CachedTable {
    /** Kinds of lines, by the format of their rows. */
    public static final int TEXT = 0;

    public static final int BINARY = 1;

    private static final long SEEN_NANOS = 1_000_000_000;

    private final TableSchema schema;
    private final List<KeyColumn> keys;
    /** The columns by ordinal; null for a column whose values cannot be compared by bytes. */
    private final @Nullable KeyColumn[] columns;

    private final LineTable lines;
    private final int prefixCells;
    private final LoadSelect select;
    private final boolean storedText;
    private final boolean @Nullable [] latin1;
    private final TableOrigin origin;
    private final boolean snapshots;
    /** The key position from which all key columns sort as their key bytes do. */
    private final int orderedFrom;

    /** The columns in the first reply to a load of text rows; null before that reply. */
    private volatile @Nullable List<ColumnDefinition> textColumns;

    private volatile @Nullable List<ColumnDefinition> binaryColumns;

    /** Time of the latest load that confirmed the definition, by the cache's ticker. */
    private volatile long seenAsDefinedNanos;

    /** Whether the lines are disabled because an audit found a wrong line. */
    private volatile boolean quarantined;

    /** Whether a statement has read the table by filter lines. */
    private volatile boolean filtered;

    /** Whether the configuration enables lines. Guarded by this. */
    private boolean enabled;

    private final ReadFigures figures;
    private final LoadAdmission admission;
    private final EarlyDrops drops = new EarlyDrops();

    /** The automatic choice of granularity; null if the granularity is configured. */
    private final @Nullable AutoPrefix auto;

    private final @Nullable Ghosts ghosts;
    /** Tables that measure loads at other granularities, by granularity. */
    private final AtomicReferenceArray<@Nullable CachedTable> shadows;

    private CachedTable(
            TableSchema schema,
            List<KeyColumn> keys,
            LineTable lines,
            int prefixCells,
            ReadFigures figures,
            @Nullable AutoPrefix auto) {
        this.figures = figures;
        this.auto = auto;
        this.ghosts = auto == null || keys.size() == 1 ? null : auto.ghosts();
        this.shadows = new AtomicReferenceArray<>(keys.size() + 1);
        this.enabled = lines.options().enabled();
        this.schema = schema;
        this.keys = List.copyOf(keys);
        this.columns = schema.columns().stream().map(KeyColumn::of).toArray(KeyColumn[]::new);
        this.lines = lines;
        this.admission = new LoadAdmission(this::hits, lines::livesNanos);
        this.prefixCells = prefixCells;
        boolean[] latin = new boolean[schema.columns().size()];
        boolean some = false;
        boolean all = true;
        for (int i = 0; i < latin.length; i++) {
            ColumnType type = schema.columns().get(i).type();
            latin[i] = isLatin1(type);
            some |= latin[i];
            all &= latin[i] || isUnicode(type);
        }
        this.storedText = all;
        this.latin1 = some ? latin : null;
        this.origin = new TableOrigin(schema, prefixCells);
        this.snapshots = origin.hasSnapshots();
        this.select = new LoadSelect(schema, this.keys, prefixCells);
        this.orderedFrom = orderedFrom(this.keys);
    }

    /** Returns the key columns; null if the table or one of these columns does not allow lines. */
    static @Nullable List<KeyColumn> keyColumns(TableSchema schema) {
        if (schema.model() != TableModel.UNIQUE) {
            return null;
        }
        List<KeyColumn> keys = new ArrayList<>();
        for (int ordinal : schema.keyColumns()) {
            KeyColumn key = KeyColumn.of(schema.columns().get(ordinal));
            if (key == null) {
                return null;
            }
            keys.add(key);
        }
        return keys;
    }

    /** Returns whether key bytes sort as the store's ORDER BY sorts the keys. */
    static boolean ordered(List<KeyColumn> keys) {
        return orderedFrom(keys) == 0;
    }

    private static int orderedFrom(List<KeyColumn> keys) {
        int from = keys.size();
        while (from > 0 && keys.get(from - 1).ordered()) {
            from--;
        }
        return from;
    }

    /** @param figures the figures of the table's name, which survive changes of the definition */
    static CachedTable of(
            TableSchema schema, List<KeyColumn> keys, LineTable lines, ReadFigures figures, @Nullable AutoPrefix auto) {
        return new CachedTable(schema, keys, lines, lines.options().prefixCells(), figures, auto);
    }

    /** Returns the automatic choice of granularity; null if the granularity is configured. */
    public @Nullable AutoPrefix auto() {
        return auto;
    }

    /** Returns the simulation of other granularities; null if no other can be chosen. */
    public @Nullable Ghosts ghosts() {
        return ghosts;
    }

    /** Returns a table that measures loads at another granularity: {@link RowCache#shadowTable}. */
    public CachedTable shadow(RowCache cache, int cells) {
        CachedTable shadow = shadows.get(cells);
        if (shadow == null) {
            int maxRows = requireNonNull(auto, "its granularity is configured").maxMeanRows();
            shadow = of(schema, keys, cache.shadowTable(lines, cells, maxRows), figures, null);
            shadows.set(cells, shadow);
        }
        return shadow;
    }

    /** Called before a statement first reads the table by filter lines. */
    public void filtered() {
        filtered = true;
    }

    /**
     * Returns whether filter lines may exist or be loaded. If not, the rows of a write need not be
     * determined, because there is no filter line that could stay valid.
     */
    public boolean isFiltered() {
        return filtered;
    }

    /** Returns the rule that decides whether a miss loads. */
    public LoadAdmission admission() {
        return admission;
    }

    private long hits() {
        return lines.stats().hits() - figures.filters().snapshot().hits();
    }

    public ReadFigures figures() {
        return figures;
    }

    public TableSchema schema() {
        return schema;
    }

    public TableOrigin origin() {
        return origin;
    }

    /**
     * Returns whether transactions read a snapshot of the table: {@link TableOrigin#hasSnapshots}.
     */
    public boolean hasSnapshots() {
        return snapshots;
    }

    public LineTable lines() {
        return lines;
    }

    /**
     * Returns whether lines have the rows of a read in the store's order. Always true for at most
     * one row. For more rows, the store must sort certain columns as their key bytes sort: those
     * with bounds, and those that may differ between the rows.
     */
    public boolean sortsLikeTheStore(PointRead plan) {
        if (plan.ranges().size() > 1) {
            return orderedFrom == 0;
        }
        boolean sorts = plan.boundColumns() >= orderedFrom;
        List<KeyBound> bounds = plan.ranges().get(0).bounds();
        for (int i = 0; i < bounds.size(); i++) {
            sorts &= bounds.get(i).position() >= orderedFrom;
        }
        return sorts;
    }

    /** Disables the lines after an audit found a wrong line. */
    public synchronized void quarantine() {
        quarantined = true;
        lines.options(lines.options().withEnabled(false));
    }

    public boolean quarantined() {
        return quarantined;
    }

    /** Enables the lines again after an operator has acknowledged the wrong line. */
    public synchronized void release() {
        if (quarantined) {
            quarantined = false;
            lines.options(lines.options().withEnabled(enabled));
        }
    }

    /**
     * Drops the lines of changed partitions.
     *
     * @return false if all lines were dropped, because the partitioning is new
     */
    public boolean flush(PartitionSpans partitioning, Collection<Long> changed) {
        if (lines.partitions() instanceof KeyPartitions known && known.isOf(partitioning)) {
            lines.flushPartitions(changed);
            return true;
        }
        lines.partitions(KeyPartitions.of(partitioning, schema, keys));
        return false;
    }

    /** Records that a write past the gateway dropped lines. */
    public void changedOutside(long nowNanos) {
        drops.dropped(nowNanos, lines);
    }

    /**
     * Returns a warning if writes past the gateway drop lines before hits outnumber loads; empty if
     * they do not.
     */
    public String wasted(long nowNanos) {
        return drops.wasted(nowNanos, lines);
    }

    /** Applies options; if they changed, drops the lines. The granularity stays the same. */
    synchronized void configure(TableOptions options) {
        enabled = options.enabled();
        TableOptions wanted = options.withEnabled(enabled && !quarantined);
        if (!wanted.equals(lines.options())) {
            lines.options(wanted);
            lines.flush();
            for (int cells = 0; cells < shadows.length(); cells++) {
                shadows.set(cells, null);
            }
        }
    }

    /** Returns a copy of this table with other lines. A quarantine stays in force. */
    synchronized CachedTable replacedBy(LineTable next, @Nullable AutoPrefix chosenBy) {
        CachedTable table = of(schema, keys, next, figures, chosenBy);
        table.textColumns = textColumns;
        table.binaryColumns = binaryColumns;
        table.seenAsDefinedNanos = seenAsDefinedNanos;
        if (quarantined) {
            table.quarantine();
        }
        return table;
    }

    List<KeyColumn> keys() {
        return keys;
    }

    /** Returns the number of key columns in the prefix of a line. */
    public int prefixCells() {
        return prefixCells;
    }

    /** Returns whether all text is stored as UTF-8 or latin1, into which lines can be converted. */
    public boolean determinesStoredText() {
        return storedText;
    }

    /** Returns for each column whether its text is in latin1; null if no text is. Read-only. */
    public boolean @Nullable [] latin1() {
        return latin1;
    }

    private static boolean isLatin1(ColumnType type) {
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT, ENUM, SET ->
                String.valueOf(type.collation()).startsWith("latin1_");
            default -> false;
        };
    }

    private static boolean isUnicode(ColumnType type) {
        return switch (type.kind()) {
            // MySQL names no collation for JSON, which is always utf8mb4.
            case JSON -> type.collation() == null || type.collation().startsWith("utf8");
            case CHAR, VARCHAR, TEXT, ENUM, SET, ARRAY, MAP, STRUCT, VARIANT, OTHER -> {
                String collation = String.valueOf(type.collation());
                yield collation.startsWith("utf8") || collation.startsWith("ascii_");
            }
            default -> true;
        };
    }

    public LoadSelect select() {
        return select;
    }

    /**
     * Returns a reader of this kind of rows. Lines of the kind must exist, so that a load has
     * reported the columns.
     */
    public RowReader reader(int kind) {
        return kind == BINARY
                ? new BinaryRowReader(requireNonNull(binaryColumns, "no load has reported the columns"))
                : new TextRowReader(schema.columns().size());
    }

    /** Records that a load confirmed the table's definition. */
    public void seenAsDefined(long nowNanos) {
        seenAsDefinedNanos = nowNanos;
    }

    /**
     * Returns whether a load has recently confirmed the definition. The reply to a client's read
     * with a column list does not show an added column. If only such replies filled lines, a
     * {@code SELECT *} from lines would lack the column.
     */
    public boolean isSeenAsDefined(long nowNanos) {
        return nowNanos - seenAsDefinedNanos <= SEEN_NANOS;
    }

    /** Returns whether a load has reported the columns of lines of a kind. */
    public boolean knowsColumns(int kind) {
        return (kind == BINARY ? binaryColumns : textColumns) != null;
    }

    /** Returns the columns of a kind of rows; null while no load has reported them. */
    @Nullable
    List<ColumnDefinition> columns(int kind) {
        return kind == BINARY ? binaryColumns : textColumns;
    }

    /** Returns a column's definition as loads receive it. */
    public ColumnDefinition column(int kind, int ordinal) {
        List<ColumnDefinition> known = kind == BINARY ? binaryColumns : textColumns;
        return requireNonNull(known, "no load has reported the columns").get(ordinal);
    }

    /**
     * Returns whether equal values of a key column have the same bytes in all rows with the same
     * values of the key columns before it.
     */
    public boolean isWrittenOneWay(int position) {
        return position == keys.size() - 1 || keys.get(position).isWrittenOneWay();
    }

    /**
     * Compares the columns of a load's reply with the definition, and stores those of the first.
     *
     * @return false if the definition has changed, so that this object is invalid
     */
    @SuppressWarnings(
            // usually the same object; List.equals would compare all elements nevertheless
            "ReferenceEquality")
    public boolean columns(int kind, List<ColumnDefinition> received) {
        List<ColumnDefinition> known = kind == BINARY ? binaryColumns : textColumns;
        if (known != null) {
            return known == received || known.equals(received);
        }
        boolean same = received.size() == schema.columns().size();
        for (int i = 0; same && i < received.size(); i++) {
            same = received.get(i)
                    .name()
                    .equalsIgnoreCase(schema.columns().get(i).name());
        }
        if (same && kind == BINARY) {
            binaryColumns = List.copyOf(received);
        } else if (same) {
            textColumns = List.copyOf(received);
        }
        return same;
    }

    /** Returns a column's converter; null if its values cannot be compared by bytes. */
    public @Nullable KeyColumn comparable(int ordinal) {
        return columns[ordinal];
    }

    /** Returns whether the conditions of a read can be evaluated on rows. */
    public boolean compares(PointRead plan) {
        for (Condition condition : plan.conditions()) {
            KeyColumn column = columns[condition.column()];
            if (column == null || (condition.byOrder() && !column.ordered())) {
                return false;
            }
        }
        return true;
    }

    /** Encodes a tuple; false if a value cannot be compared exactly, or if the key is too long. */
    public boolean bind(List<KeyPart> tuple, SlotValues values, KeyEncoder key) {
        key.reset();
        for (int i = 0; i < tuple.size(); i++) {
            KeyPart part = tuple.get(i);
            if (!keys.get(i).bind(values, part.slot(), part.negated(), key)) {
                return false;
            }
        }
        return key.fits();
    }

    /** Appends one key column's value; false as in {@link #bind(List, SlotValues, KeyEncoder)}. */
    public boolean bind(int position, KeyPart value, SlotValues values, KeyEncoder key) {
        return keys.get(position).bind(values, value.slot(), value.negated(), key) && key.fits();
    }

    /** Appends an AUTO_INCREMENT value; returns false for 0 (none), or if no line can have it. */
    public boolean number(long unsigned, KeyEncoder key) {
        byte[] text = Long.toUnsignedString(unsigned).getBytes(StandardCharsets.US_ASCII);
        return unsigned != 0 && keys.get(schema.autoIncrementPosition()).text(text, 0, text.length, key) && key.fits();
    }

    /** Encodes a key from cells of the text protocol. Returns false if no line can have it. */
    public boolean encode(List<byte @Nullable []> cells, KeyEncoder key) {
        key.reset();
        for (int i = 0; i < keys.size(); i++) {
            byte[] cell = cells.get(i);
            if (cell == null) {
                key.nullCell();
                continue;
            }
            if (!keys.get(i).text(cell, 0, cell.length, key)) {
                return false;
            }
        }
        return key.fits();
    }

    /** Encodes the key of the reader's row, as {@link #appendKey} does. */
    public void keyOf(RowReader row, boolean binary, KeyEncoder key) {
        key.reset();
        appendKey(row, binary, key);
    }

    /**
     * Appends the key of the reader's row. If the key cannot be compared by bytes,
     * {@link KeyEncoder#fits} is false afterwards.
     */
    public void appendKey(RowReader row, boolean binary, KeyEncoder key) {
        for (int i = 0; i < keys.size(); i++) {
            if (!cell(keys.get(i), row, schema.keyColumns().get(i), binary, key)) {
                key.unfit();
                return;
            }
        }
    }

    /** Appends a cell of the reader's row. Returns false if it cannot be compared by bytes. */
    public static boolean cell(KeyColumn as, RowReader row, int ordinal, boolean binary, KeyEncoder key) {
        if (row.isNull(ordinal)) {
            key.nullCell();
            return true;
        }
        int offset = row.valueOffset(ordinal);
        int length = row.valueLength(ordinal);
        return binary ? as.binary(row.source(), offset, length, key) : as.text(row.source(), offset, length, key);
    }
}
