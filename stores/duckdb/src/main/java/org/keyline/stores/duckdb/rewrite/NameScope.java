package org.keyline.stores.duckdb.rewrite;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.OutputColumn;

/**
 * The names that an expression may use. Names of the query's own FROM clause take precedence over
 * those of the outer query.
 */
final class NameScope {
    /** The only database whose name is not case-sensitive. */
    private static final String INFORMATION_SCHEMA = "information_schema";

    private final @Nullable NameScope outer;
    private final List<Source> sources;
    /** For each column that USING joins, the source to which its unqualified name refers. */
    private final Map<String, Source> merged = new HashMap<>();

    private final Map<String, Typed> aliases = new HashMap<>();
    /** The values that the statement has already assigned to columns, for later assignments. */
    private final Map<String, Typed> assigned = new HashMap<>();

    NameScope(@Nullable NameScope outer, List<Source> sources) {
        this.outer = outer;
        this.sources = List.copyOf(sources);
    }

    List<Source> sources() {
        return sources;
    }

    void merge(Map<String, Source> columns) {
        merged.putAll(columns);
    }

    /** Adds the alias of an item of the SELECT list. */
    void alias(String name, Typed item) {
        aliases.putIfAbsent(key(name), item);
    }

    void assign(Source source, String column, Typed value) {
        assigned.put(key(source.alias() + "." + column), value);
    }

    @Nullable
    Typed alias(String name) {
        return aliases.get(key(name));
    }

    static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the column with this name, which can be qualified by a table and a database. Throws
     * error 1054 if no column has the name, 1052 if several columns have the name.
     */
    Typed column(List<String> parts, String clause) {
        for (NameScope scope = this; scope != null; scope = scope.outer) {
            @Nullable Typed found = scope.own(parts, clause);
            if (found != null) {
                return found;
            }
        }
        throw Rewriting.unknownColumn(String.join(".", parts), clause);
    }

    /** Returns a column of this query only; null if none has the name. */
    @Nullable
    Typed own(List<String> parts, String clause) {
        String name = parts.get(parts.size() - 1);
        if (parts.size() == 1 && merged.containsKey(key(name))) {
            @Nullable Source source = merged.get(key(name));
            if (source != null) {
                return typed(source, source.column(name));
            }
        }
        @Nullable Typed found = null;
        for (Source source : sources) {
            if (parts.size() > 1 ? !qualifies(parts, source) : source.qualifiedOnly()) {
                continue;
            }
            @Nullable OutputColumn column = source.column(name);
            if (column != null) {
                if (found != null) {
                    throw new StatementRefusedException(
                            1052, "23000", "Column '" + String.join(".", parts) + "' in " + clause + " is ambiguous");
                }
                found = assigned.getOrDefault(key(source.alias() + "." + column.name()), typed(source, column));
            }
        }
        return found;
    }

    static boolean qualifies(List<String> parts, Source source) {
        boolean table = source.alias().equalsIgnoreCase(parts.get(parts.size() - 2));
        if (parts.size() == 2 || !table) {
            return table;
        }
        String schema =
                source.relation() == null ? "" : source.relation().name().schema();
        String written = parts.get(parts.size() - 3);
        return schema.equalsIgnoreCase(INFORMATION_SCHEMA) ? schema.equalsIgnoreCase(written) : schema.equals(written);
    }

    static Typed typed(Source source, @Nullable OutputColumn column) {
        if (column == null) {
            throw new IllegalStateException("no such column in " + source.alias());
        }
        return new Typed(
                Sql.name(source.duckAlias(), column.name()), column.type(), column.nullable(), column.origin());
    }
}
