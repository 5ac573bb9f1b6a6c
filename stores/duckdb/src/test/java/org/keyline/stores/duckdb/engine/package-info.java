/** Tests of concurrent writes in the engine. */
@NullMarked
package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.NullMarked;
