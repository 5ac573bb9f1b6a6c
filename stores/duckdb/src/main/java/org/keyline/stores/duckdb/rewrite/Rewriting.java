package org.keyline.stores.duckdb.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.TranslationContext;
import org.keyline.stores.duckdb.translate.ValueSlot;

/** The state of rewriting one statement. Confined to one thread. */
final class Rewriting {
    /** The maximum number of tables in a statement. Ordering so many joins takes a second. */
    private static final int MAX_TABLES = 100;

    /** The maximum number of columns of one SELECT list, the same as of a table. */
    private static final int MAX_COLUMNS = 4_096;

    /**
     * The maximum number of columns of all SELECT lists and FROM clauses together. Each {@code *}
     * adds all columns of its tables.
     */
    private static final int MAX_ALL_COLUMNS = 65_536;

    /** The maximum number of expressions is this, plus {@code STEPS_PER_TOKEN} for each token. */
    private static final int FEW_STEPS = 50_000;

    private static final int STEPS_PER_TOKEN = 8;

    /**
     * The maximum length of DuckDB's text is this, plus {@code GROWTH} for each byte of the MySQL
     * statement.
     */
    private static final int SHORT_TEXT = 256 << 10;

    private static final int GROWTH = 64;

    private static final List<String> WRITES = List.of("INSERT", "REPLACE", "UPDATE", "DELETE");

    private final StatementText text;
    private final Relations relations;
    private final TranslationContext context;
    private final Set<Integer> pinned = new HashSet<>();
    private final Set<TableName> reads = new LinkedHashSet<>();
    private final Map<Sql.Printed, Integer> texts = new HashMap<>();
    private boolean reusable = true;
    /** The prefix of generated aliases. */
    private String fresh = "#";

    private int names;
    private boolean zeroDivisionFails;
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
        // Doris has hidden columns with these names.
        return name.toUpperCase(Locale.ROOT).contains("__DORIS_")
                ? StatementRefusedException.unsupported("the hidden column " + name)
                : new StatementRefusedException(1054, "42S22", "Unknown column '" + name + "' in '" + clause + "'");
    }

    StatementText text() {
        return text;
    }

    TranslationContext context() {
        return context;
    }

    /**
     * Writes literals into the text, instead of parameters, until {@link #endInlining}. DuckDB
     * compares expressions of GROUP BY and of the SELECT list by their text, and two parameters
     * never match, even if their values are equal.
     */
    void beginInlining() {
        inlining++;
    }

    void endInlining() {
        inlining--;
    }

    /** Returns the statement, after all its parts have been rewritten. */
    Translated translated(
            Translated.Kind kind,
            List<Step> steps,
            List<OutputColumn> columns,
            @Nullable TableDefinition target,
            int autoIncrement) {
        List<Integer> slots = pinned.stream().sorted().toList();
        return new Translated(kind, steps, columns, target, autoIncrement, reads(), slots, reusable);
    }

    /** Records that a table is written, not read. Call after the FROM clause has been read. */
    void writes(Relation target) {
        reads.remove(target.name());
    }

    List<TableName> reads() {
        return List.copyOf(reads);
    }

    boolean writes() {
        Token first = text.tokens().get(0);
        return WRITES.stream().anyMatch(first::is);
    }

    /** Lets division by zero fail in assigned values, except those of a table of Doris. */
    void failAtZero(Relation target) {
        TableDefinition definition = target.definition();
        zeroDivisionFails = definition != null && definition.flavour() == Flavour.MYSQL;
    }

    boolean zeroDivisionFails() {
        return zeroDivisionFails;
    }

    /**
     * Records that the text depends on the value of a slot. The translation is then valid only for
     * statements with the same value.
     */
    void pin(int slot) {
        pinned.add(slot);
    }

    /** Returns a new alias that does not occur in the statement. */
    String freshName() {
        while (names == 0 && text.tokens().stream().anyMatch(this::beginsFresh)) {
            fresh += "#";
        }
        names++;
        return fresh + names;
    }

    private boolean beginsFresh(Token token) {
        return token.type().isName() && token.name().startsWith(fresh);
    }

    /**
     * Returns the number by which {@code keyline_hold} identifies the result of a function. Equal
     * expressions have the same number, because DuckDB may compute them once.
     */
    int numberOf(Sql text) {
        if (text.length() > maxText()) {
            throw tooDeep();
        }
        return texts.computeIfAbsent(text.printed(), key -> texts.size());
    }

    long maxText() {
        return SHORT_TEXT + (long) GROWTH * text.size();
    }

    /** Counts the rewriting of an expression. Throws error 1436 after too many expressions. */
    void step() {
        if (++steps > FEW_STEPS + STEPS_PER_TOKEN * text.length()) {
            throw tooDeep();
        }
    }

    /** Counts a table or CTE in a FROM clause. Throws error 1116 after too many tables and CTEs. */
    void joins() {
        if (++tables > MAX_TABLES) {
            throw new StatementRefusedException(
                    1116, "HY000", "Too many tables; Keyline can only use " + MAX_TABLES + " tables in a statement");
        }
    }

    /**
     * Counts columns of a SELECT list or a FROM clause before they are created. Throws error 1117
     * if this list or the whole statement has too many columns.
     *
     * @param more the number of new columns
     * @param listed the number of columns of the same list that were counted before
     */
    void columns(int more, int listed) {
        columns += more;
        if (listed + more > MAX_COLUMNS || columns > MAX_ALL_COLUMNS) {
            throw new StatementRefusedException(1117, "42000", "Too many columns");
        }
    }

    /**
     * Returns the table or view of a name. Throws error 1146 or 1109 if it doesn't exist, 1046 if
     * no database is selected.
     */
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

    /** Returns a value of the statement as a parameter of DuckDB. */
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
            case NULL -> SqlType.NULL;
            case UNKNOWN -> SqlType.UNKNOWN;
        };
    }

    /** Returns the literal of a value and {@linkplain #pin pins} it; null if it is no literal. */
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

    /** Returns the content of a string literal and pins the literal; null for any other value. */
    @Nullable
    String literalText(Typed value) {
        @Nullable ValueSlot slot = value.type().family() == SqlType.Family.STRING ? literal(value) : null;
        return slot != null && slot.value() instanceof String string ? string : null;
    }

    Typed session(Parameter.Source source, SqlType type) {
        return new Typed(new Sql.Value(Parameter.of(source, "")), type, false, null);
    }
}
