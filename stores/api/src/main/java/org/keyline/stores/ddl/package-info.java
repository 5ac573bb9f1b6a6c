/**
 * Parses the data definition statements of Apache Doris and MySQL, and prints tables as SHOW CREATE
 * TABLE does. The parsers are recursive descent over the tokens of
 * {@link org.keyline.planner.digest}. They read each statement in one pass, limit nesting, and name
 * an unexpected token in the error.
 *
 * <p>Both kinds of store use this package: the embedded store for its own definitions, and the
 * stores behind the MySQL protocol for Doris's SHOW CREATE TABLE. So the package depends neither on
 * a kind of store nor on packets. From the planner it uses the tokens and the catalog's types.
 */
@NullMarked
package org.keyline.stores.ddl;

import org.jspecify.annotations.NullMarked;
