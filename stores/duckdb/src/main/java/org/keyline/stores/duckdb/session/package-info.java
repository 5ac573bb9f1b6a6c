/**
 * One client's session: its commands, statements, variables, transaction and prepared statements.
 *
 * <p>The package has more than 20 classes because each kind of statement has its own. All of them
 * use the state of one session, which no other package sees.
 */
@NullMarked
package org.keyline.stores.duckdb.session;

import org.jspecify.annotations.NullMarked;
