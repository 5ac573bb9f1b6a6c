/**
 * Parses the data definition statements of Apache Doris and of MySQL, and prints tables as SHOW
 * CREATE TABLE does. A hand-written recursive descent over the tokens of
 * {@link org.keyline.planner.digest}: each statement is read in one pass, nesting is limited, and
 * an unexpected token is an error that names it.
 *
 * <p>Both kinds of store use this package: the embedded store for its own definitions, the store
 * behind the wire for Doris's SHOW CREATE TABLE. It therefore depends on neither of them, nor on
 * packets; of the planner it uses the tokens and the catalog's types.
 */
@NullMarked
package org.keyline.stores.ddl;

import org.jspecify.annotations.NullMarked;
