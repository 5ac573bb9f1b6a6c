package org.keyline.gateway.relay;

/** The first write to a table whose definition has just changed. */
final class UnreadTablesIT extends Scenarios {}
