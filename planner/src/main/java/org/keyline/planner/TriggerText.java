package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A trigger of a table. Immutable.
 *
 * @param name the unqualified name; the trigger is in the table's schema
 * @param body the action's text, as the store returns it; empty if the store hides it
 * @param sqlMode the sql_mode with which the store parses the body
 */
public record TriggerText(String name, String body, String sqlMode) {
    public TriggerText {
        requireNonNull(name, "name is null");
        requireNonNull(body, "body is null");
        requireNonNull(sqlMode, "sqlMode is null");
    }
}
