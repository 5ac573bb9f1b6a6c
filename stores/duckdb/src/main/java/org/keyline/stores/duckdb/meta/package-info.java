/**
 * What the store knows of its tables: definitions kept beside the rows, the catalog, and
 * information_schema over both.
 */
@NullMarked
package org.keyline.stores.duckdb.meta;

import org.jspecify.annotations.NullMarked;
