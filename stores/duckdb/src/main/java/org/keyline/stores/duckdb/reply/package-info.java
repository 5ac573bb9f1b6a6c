/**
 * Encodes DuckDB's results as replies in MySQL's wire format. The encoding runs on worker threads.
 */
@NullMarked
package org.keyline.stores.duckdb.reply;

import org.jspecify.annotations.NullMarked;
