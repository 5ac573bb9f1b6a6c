package org.keyline.gateway.change;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.Assignment;
import org.keyline.planner.KeyPart;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.stores.RowImage;

/** Known cells of a changed row. A line's conditions on them can exclude the row. Immutable. */
final class NewRow implements AddedRow {
    /** Maximum size of a row image. It is low because changed rows can be retained for a while. */
    private static final int MAX_IMAGE_BYTES = 1 << 10;

    /** Key bytes of the exact cells, by the column's ordinal. */
    private final Map<Integer, byte[]> cells;

    private NewRow(Map<Integer, byte[]> cells) {
        this.cells = cells;
    }

    static NewRow of(CachedTable table, List<Assignment> given, SlotValues values) {
        Map<Integer, byte[]> cells = new HashMap<>();
        KeyEncoder cell = new KeyEncoder();
        for (Assignment each : given) {
            KeyColumn column = table.comparable(each.column());
            if (column != null
                    && ExactValues.isExact(table.schema().columns().get(each.column()), each.value(), values)
                    && encode(column, each, values, cell)
                    && cell.length() <= MAX_IMAGE_BYTES) {
                cells.put(each.column(), cell.toBytes());
            }
        }
        return new NewRow(cells);
    }

    /** Returns the rows of these images; empty if one of the images has no exact cell. */
    static List<AddedRow> of(CachedTable table, List<RowImage> images) {
        List<AddedRow> rows = new ArrayList<>(images.size());
        for (RowImage image : images) {
            NewRow row = of(table, image);
            if (row == null) {
                return List.of();
            }
            rows.add(row);
        }
        return rows;
    }

    /** Returns the row of an image; null if none of its cells is exact. */
    static @Nullable NewRow of(CachedTable table, RowImage image) {
        Map<Integer, byte[]> cells = new HashMap<>();
        KeyEncoder cell = new KeyEncoder();
        int bytes = 0;
        for (int ordinal = 0; ordinal < table.schema().columns().size() && bytes < MAX_IMAGE_BYTES; ordinal++) {
            KeyColumn column = table.comparable(ordinal);
            if (column != null && encode(column, image.cell(ordinal), cell.reset())) {
                cells.put(ordinal, cell.toBytes());
                bytes += cell.length();
            }
        }
        return cells.isEmpty() ? null : new NewRow(cells);
    }

    private static boolean encode(KeyColumn column, byte @Nullable [] value, KeyEncoder cell) {
        if (value == null) {
            cell.nullCell();
            return true;
        }
        return value != RowImage.UNKNOWN
                && value.length <= MAX_IMAGE_BYTES
                && column.text(value, 0, value.length, cell)
                && cell.fits();
    }

    private static boolean encode(KeyColumn column, Assignment given, SlotValues values, KeyEncoder cell) {
        cell.reset();
        KeyPart value = given.value();
        if (values.kind(value.slot()) == SlotValues.Kind.NULL) {
            cell.nullCell();
            return true;
        }
        return column.bind(values, value.slot(), value.negated(), cell) && cell.fits();
    }

    @Override
    public boolean mayBeIn(byte[] key, int from, int to) {
        return mayMeet(new KeyReader().wrap(key, from, to).bytes());
    }

    boolean mayMeet(byte[] conjunction) {
        return Conjunction.mayMeet(conjunction, cells::get);
    }
}
