package org.keyline.ycsb;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A statement's verb, table and fields; an empty set selects all fields. Immutable. */
record StatementShape(Verb verb, String table, Set<String> fields) {
    enum Verb {
        READ,
        SCAN,
        INSERT,
        UPDATE,
        DELETE
    }

    StatementShape {
        fields = Set.copyOf(fields);
    }

    /** Returns the fields in the order in which the statement names them. */
    Set<String> orderedFields() {
        return new TreeSet<>(fields);
    }

    /** Returns the SQL text. Every value is a placeholder; every name is checked and quoted. */
    String sql(String keyColumn) {
        String from = Identifiers.quoted(table);
        String key = Identifiers.quoted(keyColumn);
        return switch (verb) {
            case READ -> "SELECT " + columns() + " FROM " + from + " WHERE " + key + " = ?";
            case SCAN ->
                "SELECT " + columns() + " FROM " + from + " WHERE " + key + " >= ? ORDER BY " + key + " LIMIT ?";
            case INSERT ->
                "INSERT INTO " + from + " (" + key + each(", %s") + ") VALUES (?" + ", ?".repeat(fields.size()) + ")";
            case UPDATE -> "UPDATE " + from + " SET " + each(", %s = ?").substring(2) + " WHERE " + key + " = ?";
            case DELETE -> "DELETE FROM " + from + " WHERE " + key + " = ?";
        };
    }

    private String columns() {
        return fields.isEmpty() ? "*" : each(", %s").substring(2);
    }

    private String each(String template) {
        return orderedFields().stream()
                .map(field -> template.replace("%s", Identifiers.quoted(field)))
                .collect(Collectors.joining());
    }
}
