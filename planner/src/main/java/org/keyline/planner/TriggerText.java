package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A trigger of a table. Immutable.
 *
 * @param name without the schema, which is the table's
 * @param body as the store returns it; empty if the store hides it
 * @param sqlMode the mode in which the store parses it
 */
public record TriggerText(String name, String body, String sqlMode) {
    public TriggerText {
        requireNonNull(name, "name is null");
        requireNonNull(body, "body is null");
        requireNonNull(sqlMode, "sqlMode is null");
    }
}
