/**
 * One client's session: its commands, statements, variables, transaction and prepared statements.
 *
 * <p>The package has more than 20 classes because most of them answer one SHOW statement or one
 * kind of Doris's statements. All of them use the state of one session, which no other package
 * sees.
 */
@NullMarked
package org.keyline.stores.duckdb.session;

import org.jspecify.annotations.NullMarked;
