package org.keyline.gateway.relay;

/**
 * Rows that are written past the gateway to a MariaDB with a binary log. Lines live for ten minutes
 * here, and the catalog is read once an hour, so an earlier change was reported by the log.
 */
final class OutsideRowsIT extends Scenarios {}
