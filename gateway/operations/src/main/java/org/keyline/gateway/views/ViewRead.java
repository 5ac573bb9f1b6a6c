package org.keyline.gateway.views;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SlotKind;
import org.keyline.planner.digest.Token;
import org.keyline.planner.statement.KeylineReader;
import org.keyline.planner.statement.KeylineViews;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.ExecuteParameters;

/**
 * A client's statement on views. Immutable.
 *
 * @param tokens the tokens of the statement, with {@code ?} for each literal and each placeholder
 * @param values the values of the literals and placeholders, in text order
 */
public record ViewRead(List<Token> tokens, List<Value> values) {
    public ViewRead {
        tokens = List.copyOf(tokens);
        values = List.copyOf(values);
    }

    /**
     * A literal, a placeholder, or the bound value of a placeholder.
     *
     * @param kind {@link SlotKind#PLACEHOLDER} until a value is bound
     * @param text null for NULL and for a placeholder
     */
    record Value(SlotKind kind, @Nullable String text) {}

    public static ViewRead of(Digester digested) {
        List<Value> values = new ArrayList<>();
        for (int slot = 0; slot < digested.slots(); slot++) {
            SlotKind kind = digested.slotKind(slot);
            values.add(
                    switch (kind) {
                        case STRING -> new Value(kind, new String(digested.stringValue(slot), UTF_8));
                        case PLACEHOLDER -> new Value(kind, null);
                        default -> new Value(kind, digested.slotText(slot));
                    });
        }
        return new ViewRead(KeylineReader.tokens(digested), values);
    }

    /** Returns the names of the views that the statement names, in lower case. */
    public Set<String> named() {
        return KeylineViews.named(tokens);
    }

    public int parameters() {
        return (int) values.stream()
                .filter(value -> value.kind() == SlotKind.PLACEHOLDER)
                .count();
    }

    public ViewRead bound(ExecuteParameters parameters) {
        List<Value> bound = new ArrayList<>();
        int next = 0;
        for (Value value : values) {
            bound.add(value.kind() == SlotKind.PLACEHOLDER ? value(parameters, next++) : value);
        }
        return new ViewRead(tokens, bound);
    }

    private static Value value(ExecuteParameters parameters, int i) {
        if (parameters.isNull(i)) {
            return new Value(SlotKind.STRING, null);
        }
        SlotKind kind = switch (parameters.type(i)) {
            case ColumnType.TINY,
                    ColumnType.SHORT,
                    ColumnType.INT24,
                    ColumnType.LONG,
                    ColumnType.LONGLONG,
                    ColumnType.YEAR -> SlotKind.INTEGER;
            case ColumnType.DECIMAL, ColumnType.NEWDECIMAL -> SlotKind.DECIMAL;
            case ColumnType.FLOAT, ColumnType.DOUBLE -> SlotKind.FLOAT;
            default -> SlotKind.STRING;
        };
        return new Value(kind, parameters.text(i, UTF_8));
    }
}
