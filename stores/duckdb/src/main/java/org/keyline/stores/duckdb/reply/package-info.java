/**
 * Replies in MySQL's wire format, encoded on worker threads from DuckDB's results or from rows made
 * here.
 */
@NullMarked
package org.keyline.stores.duckdb.reply;

import org.jspecify.annotations.NullMarked;
