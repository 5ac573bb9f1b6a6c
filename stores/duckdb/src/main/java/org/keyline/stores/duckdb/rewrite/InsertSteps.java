package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.rewrite.UniqueKey.Reaction;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckTypes;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.Step;

/** Writes the statements of DuckDB for the rows of an INSERT. Used once. */
final class InsertSteps {
    /*
     * MySQL and Doris process the rows of a statement in order. DuckDB's ON CONFLICT compares each
     * row only with rows that were stored before the statement, and stores the first of several
     * rows with the same key. So only the last of several replacing rows with the same key is
     * inserted. ON DUPLICATE KEY UPDATE runs one statement per row. Two NULLs in a key are equal in
     * Doris, but differ in DuckDB. So if a key has a NULL, the stored rows with this key are
     * deleted first.
     */
    static final String ALIAS = "target";

    /** The key cell of a row that gets a generated value. It equals no stored key cell. */
    static final Sql NO_VALUE = Sql.raw("NULL");

    private final Relation relation;
    private final UniqueKey key;
    private final List<Integer> columns;
    private final Map<Integer, Sql> updates;
    private final Rewriting rewriting;
    private final Sql table;
    private final boolean touchesNull;
    private final List<Step> steps = new ArrayList<>();

    /** @param updates the assignments of ON DUPLICATE KEY UPDATE, by the ordinal of the column */
    InsertSteps(
            Relation relation, UniqueKey key, List<Integer> columns, Map<Integer, Sql> updates, Rewriting rewriting) {
        this.relation = relation;
        this.key = key;
        this.columns = columns;
        this.updates = updates;
        this.rewriting = rewriting;
        this.table = Sql.name(relation.duckSchema(), relation.duckTable());
        this.touchesNull = !key.countsReplaced()
                && key.reaction() == Reaction.REPLACE
                && key.columns().stream()
                        .anyMatch(ordinal -> relation.columns().get(ordinal).nullable());
    }

    private void step(Sql sql, Step.Role role) {
        steps.add(sql.step(role, rewriting.maxText()));
    }

    List<Step> rows(List<List<Sql>> rows) {
        if (rows.size() > 1 && key.reaction() == Reaction.UPDATE) {
            for (int i = 0; i < rows.size(); i++) {
                before(List.of(rows.get(i)));
                // The counts of the earlier steps are added to the count of the last step.
                step(
                        insert(values(List.of(rows.get(i))), conflict()),
                        i == rows.size() - 1 ? Step.Role.RESULT : Step.Role.AFFECTED);
            }
            return steps;
        }
        before(rows);
        boolean deletes = deletes(rows);
        boolean reduced = rows.size() > 1 && key.reaction() == Reaction.REPLACE;
        Sql source = reduced ? reduced(numbered(rows)) : values(rows);
        if (!deletes) {
            step(insert(source, conflict()), Step.Role.RESULT);
            return steps;
        }
        step(delete(rows), Step.Role.PREPARATION);
        // Doris counts all rows of the statement, even if several have the same key.
        step(Sql.of("SELECT " + rows.size()), Step.Role.EXTRA_AFFECTED);
        step(insert(source, Sql.raw("")), Step.Role.PREPARATION);
        return steps;
    }

    /** Returns the steps that insert the rows of a query. */
    List<Step> query(Sql source) {
        String alias = rewriting.freshName();
        Sql derived = Sql.derived(source, alias, columns.size());
        if (touchesNull) {
            List<Sql> equal = new ArrayList<>();
            for (int ordinal : key.columns()) {
                equal.add(Sql.infix(target(ordinal), "IS NOT DISTINCT FROM", cell(alias, ordinal)));
            }
            deleteNull(Sql.of("EXISTS (SELECT 1 FROM {} WHERE {})", derived, Sql.chain("AND", equal)), false);
        }
        if (key.countsReplaced()) {
            step(replaced(source, null), Step.Role.EXTRA_AFFECTED);
        }
        Sql ordered = Sql.of("(SELECT *, row_number() OVER () AS \"#order\" FROM {})", derived);
        Sql body = switch (key.reaction()) {
            case REPLACE -> reduced(ordered);
            case UPDATE -> throw StatementRefusedException.unsupported("INSERT … SELECT … ON DUPLICATE KEY UPDATE");
            default -> source;
        };
        step(insert(body, conflict()), Step.Role.RESULT);
        return steps;
    }

    /** Returns a key column of a derived table; NULL if the statement does not set the column. */
    private Sql cell(String alias, int ordinal) {
        int position = columns.indexOf(ordinal);
        return position < 0 ? Sql.raw("NULL") : Sql.name(alias, "c" + position);
    }

    private static Sql values(List<List<Sql>> rows) {
        return Sql.of(
                "VALUES {}",
                Sql.list(rows.stream().map(row -> Sql.of("({})", Sql.list(row))).toList()));
    }

    private Sql numbered(List<List<Sql>> rows) {
        List<List<Sql>> numbered = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            List<Sql> row = new ArrayList<>(rows.get(i));
            row.add(Sql.number(i));
            numbered.add(row);
        }
        List<Sql> names = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            names.add(Sql.name("c" + i));
        }
        names.add(Sql.name("#order"));
        return Sql.of("({}) AS \"rows\"({})", values(numbered), Sql.list(names));
    }

    /**
     * Returns a query that selects the row to store for each key: the row with the highest value of
     * the sequence column or, without such a column, the last row.
     */
    private Sql reduced(Sql numbered) {
        List<Sql> names = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            names.add(typed(i));
        }
        List<Sql> partition = new ArrayList<>();
        for (int ordinal : key.columns()) {
            int position = columns.indexOf(ordinal);
            partition.add(position < 0 ? Sql.raw("NULL") : typed(position));
        }
        int sequence = key.sequence() < 0 ? -1 : columns.indexOf(key.sequence());
        String order = (sequence < 0 ? "" : "\"c" + sequence + "\" DESC NULLS LAST, ") + "\"#order\" DESC";
        return Sql.of(
                "SELECT {} FROM (SELECT *, row_number() OVER (PARTITION BY {} ORDER BY " + order
                        + ") AS \"#rank\" FROM {}) AS \"ranked\" WHERE \"#rank\" = 1",
                Sql.list(names),
                Sql.list(partition),
                numbered);
    }

    /** Returns a value in its column's type, so that keys are compared as they will be stored. */
    private Sql typed(int position) {
        ColumnSchema column = relation.columns().get(columns.get(position));
        return Sql.cast(Sql.name("c" + position), DuckTypes.of(column.type()));
    }

    private Sql insert(Sql source, Sql conflict) {
        List<Sql> names = columns.stream().map(this::column).toList();
        return Sql.of("INSERT INTO {} AS \"" + ALIAS + "\" ({}) {}{}", table, Sql.list(names), source, conflict);
    }

    /**
     * Returns whether the stored rows are deleted before the rows are inserted. This is several
     * times faster than ON CONFLICT, which takes milliseconds even for one row. The keys must be
     * values, because an expression could have a different value in the INSERT.
     */
    private boolean deletes(List<List<Sql>> rows) {
        return key.reaction() == Reaction.REPLACE
                && !key.countsReplaced()
                && key.sequence() < 0
                && columns.containsAll(key.columns())
                && rows.stream().allMatch(row -> keyCells(row).stream().allMatch(InsertSteps::isGiven));
    }

    /** Returns whether a cell is a value of the statement. */
    private static boolean isGiven(Sql cell) {
        return cell instanceof Sql.Value value && value.parameter().source() == Parameter.Source.SLOT;
    }

    private List<Sql> keyCells(List<Sql> row) {
        return key.columns().stream()
                .map(ordinal -> row.get(columns.indexOf(ordinal)))
                .toList();
    }

    /** Returns the deletion of the stored rows that have the keys of these rows. */
    private Sql delete(List<List<Sql>> rows) {
        List<Sql> names = key.columns().stream().map(this::column).toList();
        if (rows.size() == 1) {
            List<Sql> equal = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                equal.add(Sql.infix(names.get(i), "=", keyCells(rows.get(0)).get(i)));
            }
            return Sql.of("DELETE FROM {} WHERE {}", table, Sql.chain("AND", equal));
        }
        // If the key has only one column, DuckDB looks up the listed values in the index.
        List<Sql> keys = rows.stream().map(row -> row(keyCells(row))).toList();
        return Sql.of("DELETE FROM {} WHERE {} IN ({})", table, row(names), Sql.list(keys));
    }

    private static Sql row(List<Sql> cells) {
        return cells.size() == 1 ? cells.get(0) : Sql.call("", cells);
    }

    private Sql column(int ordinal) {
        return Sql.name(relation.columns().get(ordinal).name());
    }

    private Sql conflict() {
        if (key.reaction() == Reaction.IGNORE) {
            return Sql.raw(" ON CONFLICT DO NOTHING");
        }
        if (key.reaction() == Reaction.FAIL) {
            return Sql.raw("");
        }
        List<Sql> sets = new ArrayList<>();
        if (key.reaction() == Reaction.REPLACE) {
            others().forEach(ordinal -> sets.add(set(ordinal, excluded(ordinal))));
        } else {
            updates.forEach((ordinal, value) -> sets.add(set(ordinal, value)));
            touched().forEach(ordinal -> sets.add(set(ordinal, touched(ordinal))));
        }
        Sql keys = Sql.list(key.columns().stream().map(this::column).toList());
        if (sets.isEmpty()) {
            return Sql.of(" ON CONFLICT ({}) DO NOTHING", keys);
        }
        Sql set = Sql.of(" ON CONFLICT ({}) DO UPDATE SET {}", keys, Sql.list(sets));
        if (key.reaction() == Reaction.UPDATE) {
            return rewriting.context().foundRows() ? set : Sql.of("{} WHERE {}", set, changed());
        }
        if (key.sequence() < 0) {
            return set;
        }
        Sql stored = target(key.sequence());
        Sql given =
                Sql.name(Insert.EXCLUDED, relation.columns().get(key.sequence()).name());
        return Sql.of("{} WHERE ({} IS NULL OR {} >= {})", set, stored, given, stored);
    }

    private Sql target(int ordinal) {
        return Sql.name(ALIAS, relation.columns().get(ordinal).name());
    }

    private Sql set(int ordinal, Sql value) {
        return Sql.of("{} = {}", column(ordinal), value);
    }

    private Sql excluded(int ordinal) {
        return Sql.name(Insert.EXCLUDED, relation.columns().get(ordinal).name());
    }

    /** Returns the columns that are not in the key. */
    private List<Integer> others() {
        return IntStream.range(0, relation.columns().size())
                .filter(ordinal -> !key.columns().contains(ordinal))
                .boxed()
                .toList();
    }

    /** Returns the condition that the statement changes the stored row with the same key. */
    private Sql changed() {
        List<Sql> changes = new ArrayList<>();
        if (key.reaction() == Reaction.REPLACE) {
            others().forEach(i -> changes.add(Sql.infix(target(i), "IS DISTINCT FROM", excluded(i))));
        } else {
            updates.forEach((ordinal, value) -> changes.add(Sql.infix(target(ordinal), "IS DISTINCT FROM", value)));
        }
        return changes.isEmpty() ? Sql.raw("FALSE") : Sql.chain("OR", changes);
    }

    /** Returns the columns with ON UPDATE CURRENT_TIMESTAMP that the statement does not assign. */
    private List<Integer> touched() {
        TableDefinition definition = relation.definition();
        return updates.isEmpty() || definition == null
                ? List.of()
                : IntStream.range(0, relation.columns().size())
                        .filter(i -> definition.columns().get(i).onUpdate() != null && !updates.containsKey(i))
                        .boxed()
                        .toList();
    }

    private Sql touched(int ordinal) {
        Sql now = AssignedValues.now(relation.columns().get(ordinal));
        return Sql.of("CASE WHEN {} THEN {} ELSE {} END", changed(), now, target(ordinal));
    }

    /**
     * Returns a query that counts the stored rows that the statement changes, because MySQL counts
     * each of these rows twice. With CLIENT_FOUND_ROWS, MySQL counts unchanged rows once.
     *
     * @param row the only row of the statement; null for several rows or a query
     */
    private Sql replaced(Sql source, @Nullable List<Sql> row) {
        List<Sql> items = new ArrayList<>();
        for (int i = 0; i < relation.columns().size(); i++) {
            ColumnSchema column = relation.columns().get(i);
            int position = columns.indexOf(i);
            Sql value = position < 0
                    ? Sql.cast(Sql.raw(DuckDdl.defaultValue(column)), DuckTypes.of(column.type()))
                    : typed(position);
            items.add(Sql.of("{} AS {}", value, Sql.name(column.name())));
        }
        List<Sql> conditions = new ArrayList<>();
        for (int ordinal : key.columns()) {
            int position = columns.indexOf(ordinal);
            // DuckDB uses the index for a value, but not for a column of the subquery.
            Sql value = row == null || position < 0 ? excluded(ordinal) : row.get(position);
            conditions.add(Sql.infix(target(ordinal), "=", value));
        }
        boolean found = key.reaction() == Reaction.UPDATE
                && updates.isEmpty()
                && rewriting.context().foundRows();
        if (!found) {
            conditions.add(changed());
        }
        return Sql.of(
                "SELECT count(*) FROM {} AS \"" + ALIAS + "\", (SELECT {} FROM {}) AS \"" + Insert.EXCLUDED
                        + "\" WHERE {}",
                table,
                Sql.list(items),
                Sql.derived(source, rewriting.freshName(), columns.size()),
                Sql.chain("AND", conditions));
    }

    /**
     * Returns a row for the lookup of stored keys. An AUTO_INCREMENT cell becomes the statement's
     * own value, or {@link #NO_VALUE} if the statement has none.
     */
    static List<Sql> probe(List<Sql> row) {
        List<Sql> probe = new ArrayList<>();
        for (Sql cell : row) {
            boolean generated =
                    cell instanceof Sql.Value value && value.parameter().source() == Parameter.Source.AUTO_INCREMENT;
            if (!generated) {
                probe.add(cell);
                continue;
            }
            Parameter parameter = ((Sql.Value) cell).parameter();
            probe.add(parameter.slot() < 0 ? NO_VALUE : new Sql.Value(parameter.given()));
        }
        return probe;
    }

    /** Adds the steps that run before these rows are inserted. */
    private void before(List<List<Sql>> rows) {
        if (key.countsReplaced()) {
            List<List<Sql>> probes = rows.stream().map(InsertSteps::probe).toList();
            step(replaced(values(probes), rows.size() == 1 ? probes.get(0) : null), Step.Role.EXTRA_AFFECTED);
        }
        if (!touchesNull) {
            return;
        }
        boolean known = true;
        List<Sql> matches = new ArrayList<>();
        for (List<Sql> row : rows) {
            List<Sql> equal = new ArrayList<>();
            for (int ordinal : key.columns()) {
                int position = columns.indexOf(ordinal);
                Sql value = position < 0 ? Sql.raw("NULL") : row.get(position);
                known &= value instanceof Sql.Value;
                equal.add(Sql.infix(target(ordinal), "IS NOT DISTINCT FROM", value));
            }
            matches.add(Sql.chain("AND", equal));
        }
        deleteNull(Sql.chain("OR", matches), known);
    }

    /**
     * Adds the deletion of matching rows whose key has a NULL.
     *
     * @param known whether the key cells are parameters; the step then runs only if a cell is NULL
     */
    private void deleteNull(Sql matches, boolean known) {
        List<Sql> none = key.columns().stream()
                .filter(ordinal -> relation.columns().get(ordinal).nullable())
                .map(ordinal -> Sql.of("({} IS NULL)", target(ordinal)))
                .toList();
        step(
                Sql.of("DELETE FROM {} AS \"" + ALIAS + "\" WHERE {}", table, Sql.and(Sql.chain("OR", none), matches)),
                known ? Step.Role.PREPARATION_IF_NULL : Step.Role.PREPARATION);
    }
}
