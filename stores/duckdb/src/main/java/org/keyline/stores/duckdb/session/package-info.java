/**
 * One client's session: its commands, statements, variables, transaction and prepared statements.
 *
 * <p>It has more than 20 classes because most are one SHOW statement or one kind of Doris's
 * statements each, all of them answered from the state of one session, which no other package sees.
 */
@NullMarked
package org.keyline.stores.duckdb.session;

import org.jspecify.annotations.NullMarked;
