package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.calcite.UniqueKey.Reaction;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckTypes;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.Step;

/** Statements of DuckDB for rows of one target. Used once. */
final class InsertPrinter {

    /*
     * DuckDB's ON CONFLICT meets every row of a statement with the table as it was before, and takes the first of several rows
     * of one key. MySQL and Doris take them one after the other, so:
     *   replacing    rows of one key are reduced to the last before they are inserted
     *   updating     each row is a statement of its own
     * DuckDB's UNIQUE lets NULL differ from NULL, Doris's key does not: rows whose key has a NULL are deleted first.
     */

    static final String ALIAS = "target";
    private static final String ORDER = "#order";
    private static final String RANK = "#rank";

    private final Relation relation;
    private final UniqueKey key;
    private final List<Integer> columns;
    private final Map<Integer, SqlNode> updates;
    private final Translation translation;

    /** @param updates what ON DUPLICATE KEY UPDATE assigns, by the ordinal of the column */
    InsertPrinter(
            Relation relation,
            UniqueKey key,
            List<Integer> columns,
            Map<Integer, SqlNode> updates,
            Translation translation) {
        this.relation = relation;
        this.key = key;
        this.columns = columns;
        this.updates = updates;
        this.translation = translation;
    }

    List<Step> rows(List<List<SqlNode>> rows) {
        List<Step> steps = new ArrayList<>();
        if (rows.size() > 1 && key.reaction() == Reaction.UPDATE) {
            for (int i = 0; i < rows.size(); i++) {
                boolean last = i == rows.size() - 1;
                before(List.of(rows.get(i)), steps);
                // Counts of the rows before the last are added to its own.
                steps.add(StepPrinter.step(
                        translation,
                        insert(values(List.of(rows.get(i)))),
                        last ? Step.Role.RESULT : Step.Role.AFFECTED));
            }
            return steps;
        }
        before(rows, steps);
        boolean reduced = rows.size() > 1 && key.reaction() == Reaction.REPLACE;
        steps.add(StepPrinter.step(
                translation, insert(reduced ? reduced(numbered(rows)) : values(rows)), Step.Role.RESULT));
        return steps;
    }

    List<Step> query(SqlNode source) {
        List<Step> steps = new ArrayList<>();
        String alias = translation.freshName();
        if (touchesNull()) {
            SqlNode named = Duck.around("(", ") AS ", "", source, named(alias, columns.size()));
            List<SqlNode> equal = new ArrayList<>();
            for (int ordinal : key.columns()) {
                int position = columns.indexOf(ordinal);
                SqlNode value = position < 0 ? Duck.raw("NULL") : Duck.name(alias, "c" + position);
                equal.add(Duck.infix(target(ordinal), "IS NOT DISTINCT FROM", value));
            }
            SqlNode exists = Duck.around("EXISTS (SELECT 1 FROM ", " WHERE ", ")", named, Duck.chain("AND", equal));
            steps.add(StepPrinter.step(
                    translation, delete(Duck.chain("AND", List.of(nullKey(), exists))), Step.Role.PREPARATION));
        }
        if (key.countsReplaced()) {
            steps.add(StepPrinter.step(translation, replaced(source, null), Step.Role.EXTRA_AFFECTED));
        }
        SqlNode body = switch (key.reaction()) {
            case REPLACE ->
                reduced(Duck.around(
                        "(SELECT *, row_number() OVER () AS \"" + ORDER + "\" FROM (",
                        ") AS ",
                        ")",
                        source,
                        named(alias, columns.size())));
            case UPDATE -> single(source, alias);
            default -> source;
        };
        steps.add(StepPrinter.step(translation, insert(body), Step.Role.RESULT));
        return steps;
    }

    /** Fails where two rows have one key: which of them would be updated first is not known. */
    private SqlNode single(SqlNode source, String alias) {
        SqlNode[] names = keyPositions(alias).toArray(new SqlNode[0]);
        SqlNode twice = Duck.around(
                "CASE WHEN count(*) OVER (PARTITION BY ",
                "",
                ") > 1 THEN error('keyline 1235 42000 This store doesn''t support ON DUPLICATE KEY UPDATE of rows with the same key')"
                        + " ELSE TRUE END",
                Duck.around("", ", ", "", names));
        return Duck.around(
                "SELECT * FROM (",
                " QUALIFY ",
                "",
                Duck.around("", ") AS ", "", source, named(alias, columns.size())),
                twice);
    }

    private List<SqlNode> keyPositions(String alias) {
        List<SqlNode> names = new ArrayList<>();
        for (int ordinal : key.columns()) {
            int position = columns.indexOf(ordinal);
            names.add(position < 0 ? Duck.raw("NULL") : Duck.name(alias, "c" + position));
        }
        return names;
    }

    private static SqlNode named(String alias, int columns) {
        SqlNode[] names = new SqlNode[columns];
        for (int i = 0; i < columns; i++) {
            names[i] = Duck.name("c" + i);
        }
        return Duck.around("", "(", ")", Duck.name(alias), Duck.around("", ", ", "", names));
    }

    private static SqlNode values(List<List<SqlNode>> rows) {
        List<SqlNode> nodes = new ArrayList<>();
        rows.forEach(row -> nodes.add(Duck.call("", row)));
        return Duck.around("VALUES ", ", ", "", nodes.toArray(new SqlNode[0]));
    }

    private SqlNode numbered(List<List<SqlNode>> rows) {
        List<List<SqlNode>> numbered = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            List<SqlNode> row = new ArrayList<>(rows.get(i));
            row.add(Duck.number(i));
            numbered.add(row);
        }
        SqlNode[] names = new SqlNode[columns.size() + 1];
        for (int i = 0; i < columns.size(); i++) {
            names[i] = Duck.name("c" + i);
        }
        names[columns.size()] = Duck.name(ORDER);
        return Duck.around("(", ") AS \"rows\"(", ")", values(numbered), Duck.around("", ", ", "", names));
    }

    /** The last row of each key. */
    private SqlNode reduced(SqlNode numbered) {
        SqlNode[] names = new SqlNode[columns.size()];
        SqlNode[] partition = new SqlNode[key.columns().size()];
        for (int i = 0; i < names.length; i++) {
            names[i] = typed(i);
        }
        for (int i = 0; i < partition.length; i++) {
            int position = columns.indexOf(key.columns().get(i));
            partition[i] = position < 0 ? Duck.raw("NULL") : typed(position);
        }
        int sequence = key.sequence() < 0 ? -1 : columns.indexOf(key.sequence());
        String order = (sequence < 0 ? "" : "\"c" + sequence + "\" DESC NULLS LAST, ") + "\"" + ORDER + "\" DESC";
        SqlNode rank = Duck.around(
                "row_number() OVER (PARTITION BY ",
                "",
                " ORDER BY " + order + ") AS \"" + RANK + "\"",
                Duck.around("", ", ", "", partition));
        return Duck.around(
                "SELECT ",
                " FROM (SELECT *, ",
                ") AS \"ranked\" WHERE \"" + RANK + "\" = 1",
                Duck.around("", ", ", "", names),
                Duck.around("", " FROM ", "", rank, numbered));
    }

    /** A value as its column holds it, so that keys are compared as they will be stored. */
    private SqlNode typed(int position) {
        ColumnSchema column = relation.columns().get(columns.get(position));
        return Duck.cast(Duck.name("c" + position), DuckTypes.of(column.type()));
    }

    private SqlNode insert(SqlNode source) {
        SqlNode[] names = columns.stream()
                .map(ordinal -> Duck.name(relation.columns().get(ordinal).name()))
                .toArray(SqlNode[]::new);
        SqlNode head =
                Duck.around("INSERT INTO ", " AS \"" + ALIAS + "\" (", ") ", table(), Duck.around("", ", ", "", names));
        return Duck.around("", "", "", head, source, conflict());
    }

    private SqlNode conflict() {
        if (key.reaction() == Reaction.IGNORE) {
            return Duck.raw(" ON CONFLICT DO NOTHING");
        }
        if (key.reaction() == Reaction.FAIL) {
            return Duck.raw("");
        }
        List<SqlNode> sets = new ArrayList<>();
        if (key.reaction() == Reaction.REPLACE) {
            for (int i = 0; i < relation.columns().size(); i++) {
                if (!key.columns().contains(i)) {
                    sets.add(set(i, excluded(i)));
                }
            }
        } else {
            updates.forEach((ordinal, value) -> sets.add(set(ordinal, value)));
            touched().forEach(ordinal -> sets.add(set(ordinal, touched(ordinal))));
        }
        SqlNode[] keys = key.columns().stream()
                .map(ordinal -> Duck.name(relation.columns().get(ordinal).name()))
                .toArray(SqlNode[]::new);
        SqlNode target = Duck.around("", ", ", "", keys);
        if (sets.isEmpty()) {
            return Duck.around(" ON CONFLICT (", "", ") DO NOTHING", target);
        }
        SqlNode set = Duck.around(
                " ON CONFLICT (",
                ") DO UPDATE SET ",
                "",
                target,
                Duck.around("", ", ", "", sets.toArray(new SqlNode[0])));
        if (key.reaction() == Reaction.UPDATE) {
            return translation.context().foundRows() ? set : Duck.around("", " WHERE ", "", set, changed());
        }
        if (key.sequence() < 0) {
            return set;
        }
        String sequence = relation.columns().get(key.sequence()).name();
        SqlNode newer = Duck.chain(
                "OR",
                List.of(
                        Duck.postfix(target(key.sequence()), "IS NULL"),
                        Duck.infix(Duck.name("excluded", sequence), ">=", target(key.sequence()))));
        return Duck.around("", " WHERE ", "", set, newer);
    }

    private SqlNode table() {
        return Duck.name(relation.duckSchema(), relation.duckTable());
    }

    private SqlNode target(int ordinal) {
        return Duck.name(ALIAS, relation.columns().get(ordinal).name());
    }

    private boolean nullableKey() {
        return key.columns().stream()
                .anyMatch(ordinal -> relation.columns().get(ordinal).nullable());
    }

    private SqlNode nullKey() {
        return Duck.chain(
                "OR",
                key.columns().stream()
                        .filter(ordinal -> relation.columns().get(ordinal).nullable())
                        .map(ordinal -> Duck.postfix(target(ordinal), "IS NULL"))
                        .toList());
    }

    private SqlNode delete(SqlNode condition) {
        return Duck.around("DELETE FROM ", " AS \"" + ALIAS + "\" WHERE ", "", table(), condition);
    }

    private SqlNode set(int ordinal, SqlNode value) {
        return Duck.around(
                "", " = ", "", Duck.name(relation.columns().get(ordinal).name()), value);
    }

    private SqlNode excluded(int ordinal) {
        return Duck.name(Inserted.ALIAS, relation.columns().get(ordinal).name());
    }

    /** Whether the row that has the key becomes another one. */
    private SqlNode changed() {
        List<SqlNode> changes = new ArrayList<>();
        if (key.reaction() == Reaction.REPLACE) {
            for (int i = 0; i < relation.columns().size(); i++) {
                if (!key.columns().contains(i)) {
                    changes.add(Duck.infix(target(i), "IS DISTINCT FROM", excluded(i)));
                }
            }
        } else {
            updates.forEach((ordinal, value) -> changes.add(Duck.infix(target(ordinal), "IS DISTINCT FROM", value)));
        }
        return changes.isEmpty() ? Duck.raw("FALSE") : Duck.chain("OR", changes);
    }

    /** Columns with ON UPDATE CURRENT_TIMESTAMP that an update of the row sets although it does not name them. */
    private List<Integer> touched() {
        List<Integer> touched = new ArrayList<>();
        TableDefinition definition = relation.definition();
        for (int i = 0;
                definition != null
                        && !updates.isEmpty()
                        && i < relation.columns().size();
                i++) {
            DeclaredColumn column = definition.columns().get(i);
            if (column.onUpdate() != null && !updates.containsKey(i)) {
                touched.add(i);
            }
        }
        return touched;
    }

    private SqlNode touched(int ordinal) {
        SqlNode now = AssignedValues.now(relation.columns().get(ordinal));
        return Duck.around(
                "CASE WHEN ", " ELSE ", " END", Duck.around("", " THEN ", "", changed(), now), target(ordinal));
    }

    /**
     * Counts the rows that the statement changes: MySQL counts each of them twice, and with CLIENT_FOUND_ROWS once more
     * than those that stay as they are.
     *
     * @param row the only row; null if there are several
     */
    private SqlNode replaced(SqlNode source, @Nullable List<SqlNode> row) {
        List<SqlNode> items = new ArrayList<>();
        for (int i = 0; i < relation.columns().size(); i++) {
            ColumnSchema column = relation.columns().get(i);
            int position = columns.indexOf(i);
            SqlNode value = position < 0
                    ? Duck.cast(Duck.raw(DuckDdl.defaultValue(column)), DuckTypes.of(column.type()))
                    : typed(position);
            items.add(Duck.as(value, column.name()));
        }
        SqlNode named = Duck.around(
                "(SELECT ",
                " FROM (",
                ") AS \"" + Inserted.ALIAS + "\"",
                Duck.around("", ", ", "", items.toArray(new SqlNode[0])),
                Duck.around("", ") AS ", "", source, named(translation.freshName(), columns.size())));
        List<SqlNode> conditions = new ArrayList<>();
        for (int ordinal : key.columns()) {
            int position = columns.indexOf(ordinal);
            // A bare value lets DuckDB use the index.
            SqlNode value = row == null || position < 0 ? excluded(ordinal) : row.get(position);
            conditions.add(Duck.infix(target(ordinal), "=", value));
        }
        boolean found = key.reaction() == Reaction.UPDATE
                && updates.isEmpty()
                && translation.context().foundRows();
        if (!found) {
            conditions.add(changed());
        }
        return Duck.around(
                "SELECT count(*) FROM ",
                " WHERE ",
                "",
                Duck.around("", " AS \"" + ALIAS + "\", ", "", table(), named),
                Duck.chain("AND", conditions));
    }

    /** A row as it is looked up: an AUTO_INCREMENT value that is still to be generated belongs to no row. */
    private static List<SqlNode> probe(List<SqlNode> row) {
        List<SqlNode> probe = new ArrayList<>();
        for (SqlNode value : row) {
            boolean generated =
                    value instanceof ParameterNode node && node.parameter().source() == Parameter.Source.AUTO_INCREMENT;
            if (!generated) {
                probe.add(value);
                continue;
            }
            Parameter parameter = ((ParameterNode) value).parameter();
            probe.add(parameter.slot() < 0 ? Duck.raw("NULL") : new ParameterNode(parameter.given()));
        }
        return probe;
    }

    private boolean touchesNull() {
        return !key.countsReplaced() && key.reaction() == Reaction.REPLACE && nullableKey();
    }

    /** What must happen, or be known, before these rows are inserted. */
    private void before(List<List<SqlNode>> rows, List<Step> steps) {
        if (key.countsReplaced()) {
            List<List<SqlNode>> probes = rows.stream().map(InsertPrinter::probe).toList();
            SqlNode count = replaced(values(probes), rows.size() == 1 ? probes.get(0) : null);
            steps.add(StepPrinter.step(translation, count, Step.Role.EXTRA_AFFECTED));
        }
        if (!touchesNull()) {
            return;
        }
        boolean known = true;
        List<SqlNode> matches = new ArrayList<>();
        for (List<SqlNode> row : rows) {
            List<SqlNode> equal = new ArrayList<>();
            for (int ordinal : key.columns()) {
                int position = columns.indexOf(ordinal);
                SqlNode value = position < 0 ? Duck.raw("NULL") : row.get(position);
                known &= value instanceof ParameterNode;
                equal.add(Duck.infix(target(ordinal), "IS NOT DISTINCT FROM", value));
            }
            matches.add(Duck.chain("AND", equal));
        }
        SqlNode condition = Duck.chain("AND", List.of(nullKey(), Duck.chain("OR", matches)));
        steps.add(StepPrinter.step(
                translation, delete(condition), known ? Step.Role.PREPARATION_IF_NULL : Step.Role.PREPARATION));
    }
}
