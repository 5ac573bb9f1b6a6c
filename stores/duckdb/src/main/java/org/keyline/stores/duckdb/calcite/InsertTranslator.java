package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.StatementForm;
import org.keyline.stores.duckdb.translate.StatementForm.Cell;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;

/** INSERT and REPLACE. Used once. */
final class InsertTranslator {

    private final Translation translation;
    private final StatementForm.Insert insert;
    private final Relation relation;
    private final UniqueKey key;
    private final List<Integer> columns;
    private final int autoIncrement;
    private boolean generates;

    InsertTranslator(Translation translation, StatementForm.Insert insert) {
        this.translation = translation;
        this.insert = insert;
        this.relation = translation.relation(insert.table(), false);
        if (relation.view() != null) {
            throw new StatementRefusedException(
                    1471,
                    "HY000",
                    "The target table " + relation.name().table() + " of the INSERT is not insertable-into");
        }
        if (relation.definition() == null) {
            throw new StatementRefusedException(
                    1288, "HY000", "The target table " + relation.name().table() + " of the INSERT is not updatable");
        }
        this.columns = named();
        this.autoIncrement = autoIncrementOf(relation);
        this.key = UniqueKey.of(
                relation.definition(),
                insert.replace(),
                insert.ignore(),
                !insert.onDuplicate().isEmpty(),
                columns.contains(autoIncrement) ? -1 : autoIncrement);
    }

    private static int autoIncrementOf(Relation relation) {
        for (int i = 0; i < relation.columns().size(); i++) {
            if (relation.columns().get(i).autoIncrement()) {
                return i;
            }
        }
        return -1;
    }

    private List<Integer> named() {
        List<Integer> ordinals = new ArrayList<>();
        if (insert.columns() == null || insert.columns().isEmpty()) {
            boolean none = insert.query() == null
                    && !insert.rows().isEmpty()
                    && insert.rows().get(0).isEmpty();
            for (int i = 0; i < relation.columns().size() && !none; i++) {
                ordinals.add(i);
            }
            return ordinals;
        }
        for (String name : insert.columns()) {
            int ordinal = ordinal(relation, name);
            if (ordinals.contains(ordinal)) {
                throw new StatementRefusedException(1110, "42000", "Column '" + name + "' specified twice");
            }
            ordinals.add(ordinal);
        }
        return ordinals;
    }

    static int ordinal(Relation relation, String name) {
        for (int i = 0; i < relation.columns().size(); i++) {
            if (relation.columns().get(i).name().equalsIgnoreCase(name)) {
                return i;
            }
        }
        HiddenColumns.refuse(name);
        throw new StatementRefusedException(1054, "42S22", "Unknown column '" + name + "' in 'field list'");
    }

    Translated translate() {
        refuseMissing();
        List<Step> steps = new ArrayList<>(label());
        steps.addAll(insert.query() == null ? rows() : query(insert.query()));
        return new Translated(
                Translated.Kind.INSERT,
                steps,
                List.of(),
                relation.definition(),
                generates ? autoIncrement : -1,
                translation.reads(),
                translation.pinned(),
                translation.reusable());
    }

    /** Takes the label, or fails where a load has it: a load that is sent again must not be done again. */
    private List<Step> label() {
        String label = insert.label();
        if (label == null) {
            return List.of();
        }
        SqlNode schema = Duck.string(relation.name().schema());
        SqlNode name = Duck.string(label);
        SqlNode taken = Duck.around(
                "CASE WHEN EXISTS (SELECT 1 FROM __keyline.labels WHERE schema_name = ",
                " AND label = ",
                ") THEN error('keyline 1105 HY000 Label [' || " + literal(label)
                        + " || '] has already been used') ELSE TRUE END",
                schema,
                name);
        SqlNode row = Duck.around("SELECT ", ", ", ", now()", schema, name);
        return List.of(
                StepPrinter.step(
                        translation,
                        Duck.raw("DELETE FROM __keyline.labels WHERE taken < now() - INTERVAL 3 DAY"),
                        Step.Role.PREPARATION),
                StepPrinter.step(
                        translation,
                        Duck.around("INSERT INTO __keyline.labels ", " WHERE ", "", row, taken),
                        Step.Role.PREPARATION));
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private void refuseMissing() {
        for (int i = 0; i < relation.columns().size(); i++) {
            ColumnSchema column = relation.columns().get(i);
            if (!columns.contains(i) && !column.nullable() && column.defaultSql() == null && !column.autoIncrement()) {
                throw new StatementRefusedException(
                        1364, "HY000", "Field '" + column.name() + "' doesn't have a default value");
            }
        }
    }

    /** Columns that the statement does not name and that DuckDB's defaults do not fill as MySQL does. */
    private List<Integer> filled() {
        List<Integer> filled = new ArrayList<>();
        for (int i = 0; i < relation.columns().size(); i++) {
            ColumnSchema column = relation.columns().get(i);
            boolean now = column.defaultSql() != null && AssignedValues.isNow(column.defaultSql());
            if (!columns.contains(i) && (now || i == autoIncrement)) {
                filled.add(i);
            }
        }
        return filled;
    }

    private List<Step> rows() {
        List<SqlNode> expressions = expressions(insert.expressions());
        List<Integer> all = new ArrayList<>(columns);
        all.addAll(filled());
        List<List<SqlNode>> rows = new ArrayList<>();
        for (int r = 0; r < insert.rows().size(); r++) {
            List<Cell> cells = insert.rows().get(r);
            if (cells.size() != columns.size()) {
                throw new StatementRefusedException(
                        1136, "21S01", "Column count doesn't match value count at row " + (r + 1));
            }
            List<SqlNode> row = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                row.add(i < cells.size() ? cell(cells.get(i), all.get(i), expressions) : missing(all.get(i)));
            }
            rows.add(row);
        }
        if (all.isEmpty()) {
            all.add(0);
            rows.forEach(row -> row.add(defaultOf(relation.columns().get(0))));
        }
        InsertPrinter printer = new InsertPrinter(relation, key, all, updates(), translation);
        return printer.rows(rows);
    }

    private List<SqlNode> expressions(@Nullable ParserText text) {
        if (text == null) {
            return List.of();
        }
        translation.pin(text);
        SqlSelect select = (SqlSelect) QueryParser.parse(text, translation.text());
        return select.getSelectList().getList();
    }

    private SqlNode cell(Cell cell, int ordinal, List<SqlNode> expressions) {
        ColumnSchema column = relation.columns().get(ordinal);
        if (cell instanceof Cell.Value value) {
            if (ordinal == autoIncrement) {
                generates = true;
                return new ParameterNode(new Parameter(
                        Parameter.Source.AUTO_INCREMENT,
                        value.slot(),
                        "",
                        Conversion.STORE,
                        column,
                        null,
                        value.negated()));
            }
            return new ParameterNode(new Parameter(
                    Parameter.Source.SLOT, value.slot(), "", Conversion.STORE, column, null, value.negated()));
        }
        if (cell instanceof Cell.Null) {
            if (ordinal == autoIncrement) {
                return missing(ordinal);
            }
            if (!column.nullable()) {
                throw new StatementRefusedException(1048, "23000", "Column '" + column.name() + "' cannot be null");
            }
            return Duck.raw("NULL");
        }
        if (cell instanceof Cell.Default) {
            return missing(ordinal);
        }
        ParserText text = insert.expressions();
        if (text == null) {
            throw new IllegalStateException("no expressions");
        }
        ExpressionTranslator translator = new ExpressionTranslator(
                translation,
                text,
                new NameScope(null, List.of()),
                "field list",
                new QueryTranslator(translation),
                false,
                false);
        SqlNode expression = expressions.get(((Cell.Expression) cell).item());
        return AssignedValues.assigned(translator.translate(expression), column, translation);
    }

    /** The value of a column that is not given. */
    private SqlNode missing(int ordinal) {
        ColumnSchema column = relation.columns().get(ordinal);
        if (ordinal == autoIncrement) {
            generates = true;
            return new ParameterNode(
                    new Parameter(Parameter.Source.AUTO_INCREMENT, -1, "", Conversion.NONE, null, null, false));
        }
        return defaultOf(column);
    }

    private static SqlNode defaultOf(ColumnSchema column) {
        String value = column.defaultSql();
        if (value == null) {
            if (!column.nullable()) {
                throw new StatementRefusedException(
                        1364, "HY000", "Field '" + column.name() + "' doesn't have a default value");
            }
            return Duck.raw("NULL");
        }
        return AssignedValues.isNow(value) ? AssignedValues.now(column) : Duck.raw(DuckDdl.defaultValue(column));
    }

    private List<Step> query(ParserText text) {
        translation.pin(text);
        QueryTranslator.Result result =
                new QueryTranslator(translation).translate(QueryParser.parse(text, translation.text()), text, null);
        if (result.columns().size() != columns.size()) {
            throw new StatementRefusedException(1136, "21S01", "Column count doesn't match value count at row 1");
        }
        String alias = translation.freshName();
        List<SqlNode> names = new ArrayList<>();
        List<SqlNode> items = new ArrayList<>();
        List<Integer> all = new ArrayList<>(columns);
        for (int i = 0; i < columns.size(); i++) {
            names.add(Duck.name("c" + i));
            Source.Column column = result.columns().get(i);
            Typed value = new Typed(Duck.name(alias, "c" + i), column.type(), column.nullable(), column.origin());
            SqlNode assigned = AssignedValues.assigned(value, relation.columns().get(columns.get(i)), translation);
            items.add(
                    columns.get(i) == autoIncrement
                            ? Duck.call("coalesce", Duck.call("nullif", assigned, Duck.number(0)), next())
                            : assigned);
        }
        for (int ordinal : filled()) {
            all.add(ordinal);
            items.add(ordinal == autoIncrement ? next() : missing(ordinal));
        }
        SqlNode source = Duck.around(
                "SELECT ",
                " FROM ",
                "",
                Duck.around("", ", ", "", items.toArray(new SqlNode[0])),
                Duck.derived(result.node(), alias, names));
        List<Step> steps = new ArrayList<>();
        if (generates) {
            SqlNode count = Duck.around("SELECT count(*) FROM ", "", "", Duck.derived(result.node(), alias, names));
            steps.add(StepPrinter.step(translation, count, Step.Role.ROWS));
        }
        steps.addAll(new InsertPrinter(relation, key, all, updates(), translation).query(source));
        return steps;
    }

    /** The next values of the AUTO_INCREMENT column for the rows of a query. */
    private SqlNode next() {
        return Duck.infix(Duck.raw("row_number() OVER () - 1"), "+", missing(autoIncrement));
    }

    /** What ON DUPLICATE KEY UPDATE assigns, by the ordinal of the column. */
    private Map<Integer, SqlNode> updates() {
        if (insert.updates() == null) {
            return Map.of();
        }
        ParserText text = insert.updates();
        translation.pin(text);
        SqlSelect select = (SqlSelect) QueryParser.parse(text, translation.text());
        Source table = Columns.source(relation, relation.name().table());
        List<Source> sources = new ArrayList<>();
        sources.add(new Source(table.alias(), InsertPrinter.ALIAS, relation, table.columns(), false));
        sources.add(new Source(Inserted.ALIAS, Inserted.ALIAS, null, table.columns(), true));
        if (insert.rowAlias() != null) {
            sources.add(new Source(insert.rowAlias(), Inserted.ALIAS, null, table.columns(), true));
        }
        NameScope scope = new NameScope(null, sources);
        ExpressionTranslator expressions = new ExpressionTranslator(
                translation, text, scope, "field list", new QueryTranslator(translation), false, false);
        Map<Integer, SqlNode> updates = new LinkedHashMap<>();
        for (int i = 0; i < insert.onDuplicate().size(); i++) {
            List<String> target = insert.onDuplicate().get(i);
            int ordinal = ordinal(relation, target.get(target.size() - 1));
            ColumnSchema column = relation.columns().get(ordinal);
            Typed value = expressions.translate(select.getSelectList().get(i));
            boolean isKey = key.columns().contains(ordinal);
            if (isColumn(value, InsertPrinter.ALIAS, column) || (isKey && isColumn(value, Inserted.ALIAS, column))) {
                // The row has this value: it was found by it.
                continue;
            }
            if (isKey || ordinal == autoIncrement) {
                throw StatementRefusedException.unsupported(
                        "ON DUPLICATE KEY UPDATE of the key column '" + column.name() + "'");
            }
            SqlNode assigned = AssignedValues.assigned(value, column, translation);
            scope.assign(sources.get(0), column.name(), Typed.of(assigned, Columns.type(column.type())));
            updates.put(ordinal, assigned);
        }
        return updates;
    }

    private static boolean isColumn(Typed value, String table, ColumnSchema column) {
        return value.node() instanceof SqlIdentifier name && name.names.equals(List.of(table, column.name()));
    }
}
