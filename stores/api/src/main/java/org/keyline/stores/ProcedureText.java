package org.keyline.stores;

/**
 * A stored procedure as its store keeps it; equal as long as nobody defined it anew. Immutable.
 *
 * @param schema that it is in
 * @param body the statement that it runs
 * @param sqlMode under which the store reads the body
 * @param defined when it was made and when it was changed last, as the store writes that
 */
public record ProcedureText(String schema, String name, String body, String sqlMode, String defined) {}
