package org.keyline.stores;

/**
 * A stored procedure as its store returns it. Two texts are equal as long as the procedure is not
 * defined again. Immutable.
 *
 * @param sqlMode the sql_mode with which the store parses the body
 * @param defined times of creation and of the last change, in the store's own format
 */
public record ProcedureText(String schema, String name, String body, String sqlMode, String defined) {}
