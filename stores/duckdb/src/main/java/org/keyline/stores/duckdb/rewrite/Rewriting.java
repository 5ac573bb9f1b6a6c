package org.keyline.stores.duckdb.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.TranslationContext;
import org.keyline.stores.duckdb.translate.ValueSlot;

/** What one rewriting knows and learns. Confined to one call. */
final class Rewriting {
    /** DuckDB's search for an order of joins takes a second for so many. */
    private static final int MAX_TABLES = 100;

    /** Columns of one SELECT list, as in a table. */
    private static final int MAX_COLUMNS = 4_096;

    /** Columns of all SELECT lists and FROM clauses of a statement: stars multiply them. */
    private static final int MAX_ALL_COLUMNS = 65_536;

    /** Expressions that any statement may have, each as often as it is translated, and how many more for each token of it. */
    private static final int FEW_STEPS = 50_000;

    private static final int STEPS_PER_TOKEN = 8;

    /** Characters that any statement may take in DuckDB's form, and how many more for each byte of it. */
    private static final int SHORT_TEXT = 256 << 10;

    private static final int GROWTH = 64;

    private final StatementText text;
    private final Relations relations;
    private final TranslationContext context;
    private final Set<Integer> pinned = new HashSet<>();
    private final Set<TableName> reads = new LinkedHashSet<>();
    private final Map<Sql.Printed, Integer> texts = new HashMap<>();
    private boolean reusable = true;
    private int names;
    private int inlining;
    private int tables;
    private int steps;
    private int columns;

    Rewriting(StatementText text, TranslationContext context, Relations relations) {
        this.text = text;
        this.context = context;
        this.relations = relations;
    }

    static StatementRefusedException tooDeep() {
        return new StatementRefusedException(1436, "HY000", "Thread stack overrun: the statement is nested too deeply");
    }

    static StatementRefusedException operands(int columns) {
        return new StatementRefusedException(1241, "21000", "Operand should contain " + columns + " column(s)");
    }

    static StatementRefusedException unknownColumn(String name, String clause) {
        return new StatementRefusedException(1054, "42S22", "Unknown column '" + name + "' in '" + clause + "'");
    }

    StatementText text() {
        return text;
    }

    TranslationContext context() {
        return context;
    }

    /** From here to {@link #endInlining} literals are printed as such: DuckDB compares expressions by their text. */
    void beginInlining() {
        inlining++;
    }

    void endInlining() {
        inlining--;
    }

    List<Integer> pinned() {
        return pinned.stream().sorted().toList();
    }

    List<TableName> reads() {
        return List.copyOf(reads);
    }

    boolean reusable() {
        return reusable;
    }

    /** The value of a slot is part of the text: the result holds only for statements that are equal there. */
    void pin(int slot) {
        pinned.add(slot);
    }

    /** A name that no statement has. */
    String freshName() {
        names++;
        return "#" + names;
    }

    /** The number of a text that a function makes; equal ones, of which DuckDB may make one, have the same. */
    int numberOf(Sql text) {
        if (text.length() > maxText()) {
            throw tooDeep();
        }
        return texts.computeIfAbsent(text.printed(), key -> texts.size());
    }

    /** How long a statement of DuckDB's may become. */
    long maxText() {
        return SHORT_TEXT + (long) GROWTH * text.size();
    }

    /** Counts the rewriting of an expression; 1436 where one is asked for again and again. */
    void step() {
        if (++steps > FEW_STEPS + STEPS_PER_TOKEN * text.length()) {
            throw tooDeep();
        }
    }

    /** Counts a table, or a reference to a common table expression, in a FROM clause; 1116 where there are too many to be joined. */
    void joins() {
        if (++tables > MAX_TABLES) {
            throw new StatementRefusedException(
                    1116, "HY000", "Too many tables; Keyline can only use " + MAX_TABLES + " tables in a statement");
        }
    }

    /**
     * Counts columns of a SELECT list or of a FROM clause before they are made; 1117 where there are too many.
     *
     * @param more how many come
     * @param listed how many of the same list were counted before
     */
    void columns(int more, int listed) {
        columns += more;
        if (listed + more > MAX_COLUMNS || columns > MAX_ALL_COLUMNS) {
            throw new StatementRefusedException(1117, "42000", "Too many columns");
        }
    }

    /** The table or view of a name; 1146 or 1109 if there is none, 1046 if no database is selected. */
    Relation relation(List<String> parts, boolean read) {
        String table = parts.get(parts.size() - 1);
        String schema = parts.size() > 1 ? parts.get(parts.size() - 2) : context.schema();
        if (schema.isEmpty()) {
            throw new StatementRefusedException(1046, "3D000", "No database selected");
        }
        TableName name = new TableName(schema, table);
        @Nullable Relation relation = relations.relation(name);
        if (relation == null) {
            if (schema.equalsIgnoreCase("information_schema")) {
                throw new StatementRefusedException(
                        1109, "42S02", "Unknown table '" + table + "' in information_schema");
            }
            throw new StatementRefusedException(1146, "42S02", "Table '" + schema + "." + table + "' doesn't exist");
        }
        if (read) {
            joins();
            reads.add(relation.name());
        }
        return relation;
    }

    /** A value of the statement as a parameter of DuckDB's. */
    Typed value(Parameter parameter) {
        SqlType type = type(parameter);
        if (parameter.source() != Parameter.Source.SLOT) {
            return new Typed(new Sql.Value(parameter), type, true, null);
        }
        ValueSlot slot = text.slots().get(parameter.slot());
        boolean inline = inlining > 0 && !slot.placeholder();
        if (inline) {
            pin(parameter.slot());
        }
        return new Typed(new Sql.Value(parameter, inline ? slot : null), type, slot.placeholder(), null);
    }

    private SqlType type(Parameter parameter) {
        switch (parameter.source()) {
            case SLOT:
                return type(text.slots().get(parameter.slot()));
            case USER_VARIABLE:
                reusable = false;
                return context.variables().type(parameter.source(), parameter.name());
            case SESSION_VARIABLE, GLOBAL_VARIABLE:
                return context.variables().type(parameter.source(), parameter.name());
            default:
                return SqlType.UNKNOWN;
        }
    }

    private static SqlType type(ValueSlot slot) {
        return switch (slot.kind()) {
            case INTEGER -> slot.value() instanceof Long ? SqlType.INTEGER : SqlType.UNSIGNED;
            case DECIMAL -> SqlType.decimal(38, slot.scale());
            case DOUBLE -> SqlType.DOUBLE;
            case STRING -> SqlType.STRING;
            case BYTES, HEX -> SqlType.BYTES;
            case DATE -> SqlType.DATE;
            case DATETIME -> SqlType.datetime(6);
            case TIME -> SqlType.time(6);
            case NULL -> SqlType.NULL;
            case UNKNOWN -> SqlType.UNKNOWN;
        };
    }

    /** The literal that a value is, which from now on is part of the text; null if the value is no literal. */
    @Nullable
    ValueSlot literal(Typed value) {
        @Nullable Parameter parameter = value.parameter();
        if (parameter == null || parameter.source() != Parameter.Source.SLOT) {
            return null;
        }
        ValueSlot slot = text.slots().get(parameter.slot());
        if (slot.placeholder()) {
            return null;
        }
        pin(parameter.slot());
        return slot;
    }

    /** Text of a string literal, which from now on is part of the text; null if the value is none. */
    @Nullable
    String literalText(Typed value) {
        @Nullable ValueSlot slot = value.type().family() == SqlType.Family.STRING ? literal(value) : null;
        return slot != null && slot.value() instanceof String string ? string : null;
    }

    Typed session(Parameter.Source source, SqlType type) {
        return new Typed(new Sql.Value(Parameter.of(source, "")), type, false, null);
    }

    Typed session(Parameter.Source source, SqlType type, Conversion conversion) {
        return new Typed(new Sql.Value(Parameter.of(source, "").with(conversion)), type, false, null);
    }
}
