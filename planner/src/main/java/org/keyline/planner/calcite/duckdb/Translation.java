package org.keyline.planner.calcite.duckdb;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.translate.Conversion;
import org.keyline.planner.translate.Parameter;
import org.keyline.planner.translate.ParserText;
import org.keyline.planner.translate.Relations;
import org.keyline.planner.translate.Relations.Relation;
import org.keyline.planner.translate.Slot;
import org.keyline.planner.translate.StatementText;
import org.keyline.planner.translate.TranslationContext;
import org.keyline.planner.translate.ValueType;

/** What one translation knows and learns. Confined to one call. */
final class Translation {

    private final StatementText text;
    private final TranslationContext context;
    private final Relations relations;
    private final Set<Integer> pinned = new HashSet<>();
    private final Set<TableName> reads = new LinkedHashSet<>();
    private boolean reusable = true;
    private int names;
    private int inlining;

    Translation(StatementText text, TranslationContext context, Relations relations) {
        this.text = text;
        this.context = context;
        this.relations = relations;
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

    void pin(ParserText query) {
        pinned.addAll(query.pinned());
    }

    /** A name that no statement has. */
    String freshName() {
        names++;
        return "#" + names;
    }

    /** The table or view of a name; 1146 if there is none, 1046 if no database is selected. */
    Relation relation(List<String> parts, boolean read) {
        String table = parts.get(parts.size() - 1);
        String schema = parts.size() > 1 ? parts.get(parts.size() - 2) : context.schema();
        if (schema.isEmpty()) {
            throw new StatementRefusedException(1046, "3D000", "No database selected");
        }
        TableName name = new TableName(schema, table);
        @Nullable Relation relation = relations.relation(name);
        if (relation == null) {
            throw new StatementRefusedException(1146, "42S02", "Table '" + schema + "." + table + "' doesn't exist");
        }
        if (read) {
            reads.add(relation.name());
        }
        return relation;
    }

    /** A value of the statement as a parameter of DuckDB's. */
    Typed value(Parameter parameter) {
        ValueType type = type(parameter);
        if (parameter.source() != Parameter.Source.SLOT) {
            return new Typed(new ParameterNode(parameter), type, true, null);
        }
        Slot slot = text.slots().get(parameter.slot());
        boolean inline = inlining > 0 && !slot.placeholder();
        if (inline) {
            pinned.add(parameter.slot());
        }
        return new Typed(new ParameterNode(parameter, inline ? slot : null), type, slot.placeholder(), null);
    }

    private ValueType type(Parameter parameter) {
        switch (parameter.source()) {
            case SLOT:
                return type(text.slots().get(parameter.slot()));
            case USER_VARIABLE:
                reusable = false;
                return context.variables().type(parameter.source(), parameter.name());
            case SESSION_VARIABLE, GLOBAL_VARIABLE:
                return context.variables().type(parameter.source(), parameter.name());
            default:
                return ValueType.UNKNOWN;
        }
    }

    private static ValueType type(Slot slot) {
        return switch (slot.kind()) {
            case INTEGER -> slot.value() instanceof Long ? ValueType.INTEGER : ValueType.UNSIGNED;
            case DECIMAL -> ValueType.decimal(38, slot.scale());
            case DOUBLE -> ValueType.DOUBLE;
            case STRING -> ValueType.STRING;
            case BYTES, HEX -> ValueType.BYTES;
            case DATE -> ValueType.DATE;
            case DATETIME -> ValueType.datetime(6);
            case TIME -> ValueType.time(6);
            case NULL -> ValueType.NULL;
            case UNKNOWN -> ValueType.UNKNOWN;
        };
    }

    /** The literal that a value is, which from now on is part of the text; null if the value is no literal. */
    @Nullable
    Slot literal(Typed value) {
        @Nullable Parameter parameter = value.parameter();
        if (parameter == null || parameter.source() != Parameter.Source.SLOT) {
            return null;
        }
        Slot slot = text.slots().get(parameter.slot());
        if (slot.placeholder()) {
            return null;
        }
        pinned.add(parameter.slot());
        return slot;
    }

    /** Text of a string literal, which from now on is part of the text; null if the value is none. */
    @Nullable
    String literalText(Typed value) {
        @Nullable Slot slot = value.type().family() == ValueType.Family.STRING ? literal(value) : null;
        return slot != null && slot.value() instanceof String string ? string : null;
    }

    Typed session(Parameter.Source source, ValueType type) {
        return new Typed(new ParameterNode(Parameter.of(source, "")), type, false, null);
    }

    Typed session(Parameter.Source source, ValueType type, Conversion conversion) {
        return new Typed(new ParameterNode(Parameter.of(source, "").with(conversion)), type, false, null);
    }
}
