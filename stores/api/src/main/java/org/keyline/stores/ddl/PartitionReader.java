package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.Partitioning.Bound;
import org.keyline.stores.ddl.Partitioning.Method;
import org.keyline.stores.ddl.Partitioning.Partition;

/** Parses Doris's PARTITION BY RANGE and LIST. */
final class PartitionReader {

    private static final int MAX_PARTITIONS = 8_192;
    private static final int MAX_VALUES = 16_384;

    private final DdlCursor tokens;

    PartitionReader(DdlCursor tokens) {
        this.tokens = tokens;
    }

    Partitioning read() {
        int begin = tokens.index();
        boolean automatic = tokens.accept("AUTO");
        tokens.expect("PARTITION");
        tokens.expect("BY");
        Method method = method();
        List<String> columns = columns(automatic);
        List<Partition> partitions = new ArrayList<>();
        if (tokens.acceptSymbol("(")) {
            while (!tokens.atSymbol(")")) {
                if (partitions.size() == MAX_PARTITIONS) {
                    throw new StatementRefusedException(1499, "HY000", "Too many partitions were defined");
                }
                partitions.add(partition(method));
                if (!tokens.acceptSymbol(",")) {
                    break;
                }
            }
            tokens.expectSymbol(")");
        }
        return new Partitioning(method, automatic, columns, tokens.textSince(begin), partitions);
    }

    private Method method() {
        if (tokens.accept("LIST")) {
            return Method.LIST;
        }
        if (tokens.atSymbol("(")) {
            throw StatementRefusedException.unsupported("PARTITION BY without RANGE or LIST");
        }
        if (!tokens.at("RANGE")) {
            throw tokens.error("RANGE or LIST");
        }
        tokens.accept("RANGE");
        return Method.RANGE;
    }

    /** Returns the columns; empty if AUTO PARTITION has an expression instead, which is skipped. */
    private List<String> columns(boolean automatic) {
        if (!automatic || tokens.atNameList()) {
            return tokens.names();
        }
        tokens.skipGroup();
        return List.of();
    }

    private Partition partition(Method method) {
        if (tokens.accept("FROM")) {
            List<Bound> from = row();
            tokens.expect("TO");
            List<Bound> to = row();
            tokens.expect("INTERVAL");
            tokens.number("a step");
            if (!tokens.atSymbol(",") && !tokens.atSymbol(")")) {
                tokens.name("a unit");
            }
            return new Partition("", from, to, List.of());
        }
        tokens.expect("PARTITION");
        tokens.acceptIfNotExists();
        String name = tokens.name("a partition name");
        tokens.expect("VALUES");
        Partition partition = method == Method.LIST ? list(name) : range(name);
        if (tokens.atSymbol("(")) {
            tokens.skipGroup();
        }
        return partition;
    }

    private Partition list(String name) {
        tokens.expect("IN");
        tokens.expectSymbol("(");
        List<List<Bound>> rows = new ArrayList<>();
        do {
            if (rows.size() == MAX_VALUES) {
                throw tokens.error("at most " + MAX_VALUES + " values");
            }
            rows.add(tokens.atSymbol("(") ? row() : List.of(bound()));
        } while (tokens.acceptSymbol(","));
        tokens.expectSymbol(")");
        return new Partition(name, null, null, rows);
    }

    private Partition range(String name) {
        if (tokens.accept("LESS")) {
            tokens.expect("THAN");
            if (tokens.accept("MAXVALUE")) {
                return new Partition(name, null, List.of(new Bound(Bound.Kind.MAXVALUE, null)), List.of());
            }
            return new Partition(name, null, row(), List.of());
        }
        tokens.expectSymbol("[");
        List<Bound> lower = row();
        tokens.expectSymbol(",");
        List<Bound> upper = row();
        tokens.expectSymbol(")");
        return new Partition(name, lower, upper, List.of());
    }

    private List<Bound> row() {
        tokens.expectSymbol("(");
        List<Bound> bounds = new ArrayList<>();
        do {
            bounds.add(bound());
        } while (tokens.acceptSymbol(",") && bounds.size() < 64);
        tokens.expectSymbol(")");
        return bounds;
    }

    private Bound bound() {
        if (tokens.accept("MAXVALUE")) {
            return new Bound(Bound.Kind.MAXVALUE, null);
        }
        if (tokens.accept("NULL")) {
            return new Bound(Bound.Kind.NULL, null);
        }
        if (tokens.atString()) {
            @Nullable String text = tokens.string("a value");
            return new Bound(Bound.Kind.VALUE, text);
        }
        boolean negative = tokens.acceptSymbol("-");
        if (tokens.at("TRUE") || tokens.at("FALSE")) {
            String word = tokens.name("a value").toLowerCase(Locale.ROOT);
            return new Bound(Bound.Kind.VALUE, word);
        }
        return new Bound(Bound.Kind.VALUE, (negative ? "-" : "") + tokens.number("a value"));
    }
}
