package org.keyline.planner.statement;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableSchema;

/** A statement that the gateway answers itself. Immutable. */
public sealed interface KeylineStatement {
    /** {@code KEYLINE EXPLAIN …}: offsets of the explained statement in the digested array. */
    record Explain(int start, int end) implements KeylineStatement {}

    record Last() implements KeylineStatement {}

    record FlushAll() implements KeylineStatement {}

    /** {@code KEYLINE FLUSH TABLE [schema.]table}; a null schema is the current one. */
    record FlushTable(@Nullable String schema, String table) implements KeylineStatement {}

    /** {@code KEYLINE FLUSH FILTERS [schema.]table}; a null schema is the current one. */
    record FlushFilters(@Nullable String schema, String table) implements KeylineStatement {}

    /**
     * {@code KEYLINE FLUSH ROWS [schema.]table WHERE column = value [AND …]}.
     *
     * @param schema null for the current one
     */
    record FlushRows(@Nullable String schema, String table, List<Condition> conditions) implements KeylineStatement {
        public FlushRows {
            requireNonNull(table, "table is null");
            conditions = List.copyOf(conditions);
        }

        /**
         * Returns the key prefix of the conditions; null unless they bind the first key columns,
         * each once.
         */
        public @Nullable List<KeyPart> prefix(TableSchema definition) {
            List<Integer> key = definition.keyColumns();
            if (conditions.isEmpty() || conditions.size() > key.size()) {
                return null;
            }
            List<KeyPart> prefix = new ArrayList<>();
            for (int ordinal : key.subList(0, conditions.size())) {
                for (Condition condition : conditions) {
                    if (definition.ordinal(condition.column()) == ordinal) {
                        prefix.add(condition.value());
                        break;
                    }
                }
            }
            return prefix.size() == conditions.size() ? prefix : null;
        }
    }

    record Condition(String column, KeyPart value) {}

    /** {@code KEYLINE TELL 'entry'}: a message from another gateway, without its quotes. */
    record Tell(String entry) implements KeylineStatement {}

    /** {@code KEYLINE TIER}: lists the other gateways of the same store. */
    record Tier() implements KeylineStatement {}

    /** {@code KEYLINE RELOAD [FORCE]}; FORCE may remove settings that protect the gateway. */
    record Reload(boolean forced) implements KeylineStatement {}

    /** {@code KEYLINE SET path = value}. The value has no quotes; null stands for DEFAULT. */
    record SetKey(List<String> path, @Nullable String value) implements KeylineStatement {
        public SetKey {
            path = List.copyOf(path);
        }
    }

    /**
     * {@code SHOW [GLOBAL | SESSION] STATUS LIKE 'keyline…'}
     *
     * @param pattern the pattern of LIKE, with %, _ and backslash escapes
     */
    record ShowStatus(String pattern) implements KeylineStatement {}

    /**
     * {@code SET [SESSION] keyline_max_staleness = value}. The value has no quotes; null stands for
     * DEFAULT.
     */
    record SetMaxStaleness(@Nullable String value) implements KeylineStatement {}

    /** {@code SELECT @@keyline_max_staleness}. The result's column has the spelling of the text. */
    record SelectMaxStaleness(String column) implements KeylineStatement {}

    /**
     * {@code SHOW [GLOBAL | SESSION] VARIABLES LIKE 'keyline…'}
     *
     * @param pattern the pattern of LIKE, with %, _ and backslash escapes
     */
    record ShowVariables(String pattern) implements KeylineStatement {}

    /**
     * A text that begins with KEYLINE but is no valid statement.
     *
     * @param problem the expected syntax, for people
     */
    record Invalid(String problem) implements KeylineStatement {}
}
