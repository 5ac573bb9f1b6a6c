/** The store's metadata: definitions in the database file, the catalog, and information_schema. */
@NullMarked
package org.keyline.stores.duckdb.meta;

import org.jspecify.annotations.NullMarked;
