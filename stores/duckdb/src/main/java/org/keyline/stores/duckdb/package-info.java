/**
 * The embedded store: an in-process MySQL server on top of DuckDB. Sessions receive command
 * payloads and reply with packets, so that the gateway relays the replies like those of any other
 * store.
 */
@NullMarked
package org.keyline.stores.duckdb;

import org.jspecify.annotations.NullMarked;
