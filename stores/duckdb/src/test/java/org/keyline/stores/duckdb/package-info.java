/** The embedded store, tested by packets and by real drivers. */
@NullMarked
package org.keyline.stores.duckdb;

import org.jspecify.annotations.NullMarked;
