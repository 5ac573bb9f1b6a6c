package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A trigger of a table. Immutable.
 *
 * @param name without its schema, which is the table's
 * @param body as the store keeps it; empty where the store does not tell it
 * @param sqlMode under which the store reads it
 */
public record TriggerText(String name, String body, String sqlMode) {
    public TriggerText {
        requireNonNull(name, "name is null");
        requireNonNull(body, "body is null");
        requireNonNull(sqlMode, "sqlMode is null");
    }
}
