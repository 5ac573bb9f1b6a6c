/** Stores and changes table definitions, and shows them in the catalog and information_schema. */
@NullMarked
package org.keyline.stores.duckdb.meta;

import org.jspecify.annotations.NullMarked;
