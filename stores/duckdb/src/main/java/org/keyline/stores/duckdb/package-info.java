/**
 * The embedded store: an in-process MySQL server over DuckDB. Sessions take command payloads and
 * answer framed packets, so that the gateway relays them as it relays the replies of any other
 * store.
 */
@NullMarked
package org.keyline.stores.duckdb;

import org.jspecify.annotations.NullMarked;
