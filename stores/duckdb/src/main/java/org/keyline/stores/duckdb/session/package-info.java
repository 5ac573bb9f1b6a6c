/**
 * Runs the commands of a client's session, and stores its variables, transaction and prepared
 * statements.
 *
 * <p>The package has more than 20 classes because each kind of statement has its own class. All of
 * these classes use the session's state, which no other package sees.
 */
@NullMarked
package org.keyline.stores.duckdb.session;

import org.jspecify.annotations.NullMarked;
