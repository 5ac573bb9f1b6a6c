package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Assignment;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.Effect;
import org.keyline.planner.Effect.Rows.Adds;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;

/** Derives the effect of an INSERT or REPLACE. Confined to one thread. */
final class InsertEffect {
    /**
     * Maximum number of rows whose keys are read. With more rows, the effect is on the whole table.
     */
    private static final int MAX_ROWS = 1000;

    private static final int MAX_ROWS_OF_CELLS = 100;

    /** Matches defaults that have the same value for all sessions at the same moment. */
    private static final Pattern SAME_FOR_ALL = Pattern.compile(
            "NULL|-?\\d+(?:\\.\\d+)?|'[^'\\\\]*'|current_timestamp(?:\\(\\d?\\))?", Pattern.CASE_INSENSITIVE);

    /** Engines whose INSERT can overwrite a row if {@code unique_checks=0}. */
    private static final Set<String> OVERWRITING = Set.of("rocksdb", "tokudb");

    private final Cursor at;
    private final TableSchema table;
    private final List<List<KeyPart>> prefixes = new ArrayList<>();
    /** The last row's cells that are literals or placeholders. */
    private List<Assignment> given = new ArrayList<>();
    /** The {@link #given} cells of each row, for the first {@link #MAX_ROWS_OF_CELLS} rows. */
    private final List<List<Assignment>> added = new ArrayList<>();
    /** The ordinal of each cell's column; -1 if unknown. */
    private int[] columns = {};

    /** Columns that can change in existing rows; null if no existing row can change. */
    private @Nullable Set<Integer> changed;
    /** Indexes of the last row's cells that are expressions. */
    private final Set<Integer> computed = new HashSet<>();
    /** Whether each row has its whole key, apart from a number that the store generates. */
    private boolean numbered = true;
    /** Whether the statement so far only gives literals and placeholders to cells. */
    private boolean plain;

    private InsertEffect(Cursor at, TableSchema table, boolean plain) {
        this.at = at;
        this.table = table;
        this.plain = plain;
    }

    /** @param whole whether all tokens are present */
    static Effect of(Cursor at, Targets targets, boolean whole, boolean inserts) {
        int verb = at.index();
        at.skip("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE");
        boolean modified = at.index() > verb;
        boolean overwrite = at.accept("OVERWRITE");
        at.accept("INTO");
        modified |= at.accept("TABLE");
        if (at.lacksName()) {
            return Effect.NONE;
        }
        List<String> name = at.name();
        TableSchema table = targets.table(name);
        if (table == null) {
            return targets.unknown(name);
        }
        Effect cascading = targets.cascadingRows(table);
        if (!(cascading instanceof Effect.Tables)) {
            return cascading;
        }
        if (callsStored(at, targets)) {
            return Effect.EVERYTHING;
        }
        if (overwrite
                || !whole
                || table.model() != TableModel.UNIQUE
                || !(targets.byTriggers(table) instanceof Effect.None)) {
            return cascading;
        }
        WriteScope scope = targets.scope(table);
        // The row is no PLAIN_ROW if the store may derive a value, or if an existing row can
        // conflict without an error.
        InsertEffect insert = new InsertEffect(at, table, inserts && !modified && scope == WriteScope.CELLS);
        if (!insert.read()) {
            return cascading;
        }
        if (!inserts) {
            insert.changed = Set.of();
        }
        boolean deletes = !inserts && !table.cascades().isEmpty();
        if (deletes || (insert.changed != null && table.mayCascade(insert.changed))) {
            return cascading;
        }
        // An INSERT fails if a unique key of an existing row has the same values. So it changes no
        // existing row.
        boolean leavesOthers = insert.changed == null && table.changesAsAssigned();
        boolean named = scope.isWithinRows() || leavesOthers;
        int number = table.autoIncrementPosition();
        boolean adds = insert.addsOnly() && (named || number == 0);
        if (!adds) {
            insert.shorten(number < 0 ? Integer.MAX_VALUE : number);
        } else if (!named) {
            // The store may derive the other cells of the key.
            insert.shorten(1);
        }
        return adds || (named && !insert.prefixes.get(0).isEmpty())
                ? insert.rows(adds, scope == WriteScope.CELLS || leavesOthers)
                : targets.rows(table);
    }

    /** @param asGiven whether the store writes the given cells unchanged */
    private Effect rows(boolean adds, boolean asGiven) {
        boolean known = asGiven && added.size() == prefixes.size();
        boolean alone = known && changed == null && prefixes.size() == 1;
        Adds what = alone && isPlain() ? Adds.PLAIN_ROW : adds ? Adds.ROWS : Adds.MAY_CHANGE;
        return new Effect.Rows(table, prefixes, List.of(), known ? added : List.of(), what, known ? changed : null);
    }

    /** Returns whether only new rows with given or generated keys are added. */
    private boolean addsOnly() {
        String engine = table.properties().getOrDefault("ENGINE", "");
        return changed == null && numbered && !OVERWRITING.contains(engine.toLowerCase(Locale.ROOT));
    }

    private static boolean callsStored(Cursor at, Targets targets) {
        Cursor rest = at.copy();
        if (rest.accept("PARTITION", "PARTITIONS")) {
            rest.acceptParenthesised();
        }
        if (rest.atSymbol("(") && !rest.token(1).is("SELECT")) {
            rest.acceptParenthesised();
        }
        return targets.mayCall(rest);
    }

    /** Returns whether each cell of the row is given, or has a default that all sessions share. */
    private boolean isPlain() {
        boolean held = plain && prefixes.get(0).size() == table.keyColumns().size();
        for (int i = 0; held && i < table.columns().size(); i++) {
            ColumnSchema column = table.columns().get(i);
            String byDefault = column.defaultSql();
            boolean same = byDefault == null
                    ? column.nullable()
                    : SAME_FOR_ALL.matcher(byDefault).matches();
            held = !column.autoIncrement() && (same || isGiven(i));
        }
        return held;
    }

    private boolean isGiven(int ordinal) {
        return given.stream().anyMatch(cell -> cell.column() == ordinal);
    }

    private boolean read() {
        plain &= !at.at("PARTITION") && !at.at("PARTITIONS");
        if (at.accept("PARTITION", "PARTITIONS") && !at.acceptParenthesised()) {
            return false;
        }
        if (at.accept("SET")) {
            return assignments() && tail();
        }
        int[] cells = fullRow();
        if (at.atSymbol("(") && !at.token(1).is("SELECT") && !at.token(1).isSymbol("(")) {
            cells = columnList();
        }
        return cells != null && at.accept("VALUES", "VALUE") && rows(cells) && tail();
    }

    /** Returns the index of each key column's cell, for rows without a column list. */
    private int[] fullRow() {
        columns = IntStream.range(0, table.columns().size()).toArray();
        return table.keyColumns().stream().mapToInt(Integer::intValue).toArray();
    }

    private int @Nullable [] columnList() {
        int[] cells = new int[table.keyColumns().size()];
        Arrays.fill(cells, -1);
        at.acceptSymbol("(");
        List<Integer> named = new ArrayList<>();
        int cell = 0;
        boolean none = at.atSymbol(")");
        do {
            List<String> column = none ? null : at.name();
            if (column == null) {
                return none && at.acceptSymbol(")") ? cells : null;
            }
            plain &= column.size() == 1;
            named.add(table.ordinal(column.get(column.size() - 1)));
            int position = keyPosition(column);
            if (position >= 0) {
                cells[position] = cell;
            }
            cell++;
        } while (at.acceptSymbol(","));
        columns = named.stream().mapToInt(Integer::intValue).toArray();
        return at.acceptSymbol(")") ? cells : null;
    }

    private int keyPosition(List<String> column) {
        int ordinal = table.ordinal(column.get(column.size() - 1));
        return ordinal < 0 ? -1 : table.keyPosition(ordinal);
    }

    private boolean rows(int[] cells) {
        do {
            List<@Nullable KeyPart> row = row();
            if (row == null || prefixes.size() == MAX_ROWS) {
                return false;
            }
            given(row);
            @Nullable KeyPart[] key = new KeyPart[cells.length];
            for (int i = 0; i < cells.length; i++) {
                key[i] = cells[i] >= 0 && cells[i] < row.size() ? row.get(cells[i]) : null;
                numbered &= !computed.contains(cells[i]);
            }
            add(key);
        } while (at.acceptSymbol(","));
        return true;
    }

    private void given(List<@Nullable KeyPart> row) {
        given = new ArrayList<>();
        plain &= row.size() == columns.length;
        for (int i = 0; i < row.size() && row.size() == columns.length; i++) {
            give(columns[i], row.get(i));
        }
    }

    private void give(int column, @Nullable KeyPart value) {
        if (value != null && column >= 0) {
            plain &= !isGiven(column);
            given.add(new Assignment(column, value));
        } else {
            plain = false;
        }
    }

    /** Returns the next row; null if no row follows. A cell that is not a value is null. */
    private @Nullable List<@Nullable KeyPart> row() {
        if (!at.acceptSymbol("(")) {
            return null;
        }
        List<@Nullable KeyPart> row = new ArrayList<>();
        computed.clear();
        do {
            row.add(cell(row.size()));
        } while (at.acceptSymbol(","));
        return at.acceptSymbol(")") ? row : null;
    }

    /** Returns the value of a cell; null for DEFAULT, NULL, a missing cell, or an expression. */
    private @Nullable KeyPart cell(int index) {
        int begin = at.index();
        boolean byDefault = at.at("DEFAULT") || at.at("NULL");
        Cursor simple = at.copy();
        KeyPart value = simple.value();
        boolean alone = value != null && (simple.atSymbol(",") || simple.atSymbol(")") || simple.atEnd());
        int depth = 0;
        while (!at.atEnd() && (depth > 0 || (!at.atSymbol(",") && !at.atSymbol(")") && !endsAssignments()))) {
            // Doris's literals of arrays, maps and structs contain commas, which separate no cells.
            depth += at.atSymbol("[") || at.atSymbol("{") ? 1 : at.atSymbol("]") || at.atSymbol("}") ? -1 : 0;
            if (!at.acceptParenthesised()) {
                at.advance();
            }
        }
        if (alone || (value != null && simple.index() == at.index())) {
            return value;
        }
        if (at.index() > begin + (byDefault ? 1 : 0)) {
            computed.add(index);
        }
        return null;
    }

    private boolean endsAssignments() {
        return at.at("ON") || at.at("AS") || at.at("RETURNING");
    }

    private boolean assignments() {
        @Nullable KeyPart[] key = new KeyPart[table.keyColumns().size()];
        do {
            List<String> column = at.name();
            if (column == null || !(at.acceptSymbol("=") || at.acceptSymbol(":="))) {
                return false;
            }
            int position = keyPosition(column);
            KeyPart value = cell(position);
            plain &= column.size() == 1;
            give(table.ordinal(column.get(column.size() - 1)), value);
            if (position >= 0) {
                key[position] = value;
                numbered &= !computed.contains(position);
            }
        } while (at.acceptSymbol(","));
        add(key);
        return true;
    }

    /** Adds a row's key up to the first missing value. The store may generate that value. */
    private void add(@Nullable KeyPart[] key) {
        List<KeyPart> prefix = new ArrayList<>();
        for (int i = 0; i < key.length; i++) {
            KeyPart part = key[i];
            boolean chosen = i == table.autoIncrementPosition();
            if (part == null) {
                numbered &= chosen;
                break;
            }
            prefix.add(part);
        }
        int length = prefixes.isEmpty()
                ? prefix.size()
                : Math.min(prefix.size(), prefixes.get(0).size());
        shorten(length);
        prefixes.add(prefix.subList(0, length));
        if (added.size() < MAX_ROWS_OF_CELLS) {
            added.add(given);
        }
    }

    private void shorten(int length) {
        prefixes.replaceAll(prefix -> prefix.subList(0, Math.min(length, prefix.size())));
    }

    /** Reads a row alias and ON DUPLICATE KEY UPDATE. Returns false if a key can change. */
    private boolean tail() {
        plain &= at.atEnd();
        if (at.accept("AS")) {
            at.name();
            at.acceptParenthesised();
        }
        if (at.acceptAll("ON", "DUPLICATE", "KEY", "UPDATE")) {
            Assignments.Given updated = Assignments.read(
                    at, table, List.of(table.name().schema(), table.name().table()));
            changed = updated == null ? null : updated.columns();
            return updated != null;
        }
        return at.atEnd() || at.at("RETURNING");
    }
}
