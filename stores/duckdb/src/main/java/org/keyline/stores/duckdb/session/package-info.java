/** One client's session: its commands, statements, variables, transaction and prepared statements. */
@NullMarked
package org.keyline.stores.duckdb.session;

import org.jspecify.annotations.NullMarked;
