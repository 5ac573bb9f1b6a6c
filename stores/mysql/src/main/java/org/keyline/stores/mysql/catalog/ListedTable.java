package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;

/**
 * A base table as one reading found it. Immutable.
 *
 * @param schema its definition, whose table id is not assigned yet (0)
 * @param fingerprint a digest of all that the store reports on columns, indexes and engine, even if
 * {@code schema} lacks it. The digest excludes write scope and row storage
 * @param cascadesFrom tables, existing or not, from which writes cascade into this table; their
 * names are those of {@code NameRule.key}
 */
record ListedTable(TableSchema schema, String fingerprint, Set<TableName> cascadesFrom) {
    ListedTable {
        requireNonNull(schema, "schema is null");
        requireNonNull(fingerprint, "fingerprint is null");
        cascadesFrom = Set.copyOf(cascadesFrom);
    }

    ListedTable(TableSchema schema, String fingerprint) {
        this(schema, fingerprint, Set.of());
    }

    /** Returns the table with these triggers, which can change cells that no statement assigns. */
    ListedTable with(List<TriggerText> triggers) {
        WriteScope scope = schema.writeScope();
        return schema.triggers().equals(triggers)
                ? this
                : with(schema.properties(), scope == WriteScope.CELLS ? WriteScope.ROWS : scope, triggers);
    }

    ListedTable cascading(Set<TableName> reached) {
        Map<String, String> properties = new HashMap<>(schema.properties());
        if (reached.isEmpty()) {
            properties.remove(TableSchema.CASCADES);
        } else {
            properties.put(
                    TableSchema.CASCADES,
                    reached.stream()
                            .map(name -> name.schema() + '\0' + name.table())
                            .collect(Collectors.joining("\0")));
        }
        return properties.equals(schema.properties()) ? this : with(properties, schema.writeScope(), schema.triggers());
    }

    private ListedTable with(Map<String, String> properties, WriteScope scope, List<TriggerText> triggers) {
        return new ListedTable(schema.with(properties, scope, triggers), fingerprint, cascadesFrom);
    }
}
