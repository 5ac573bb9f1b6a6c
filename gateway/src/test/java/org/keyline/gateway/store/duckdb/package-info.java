/** The embedded store, driven by packets and by real drivers. */
@NullMarked
package org.keyline.gateway.store.duckdb;

import org.jspecify.annotations.NullMarked;
