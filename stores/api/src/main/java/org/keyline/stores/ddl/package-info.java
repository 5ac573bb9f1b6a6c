/**
 * Reads the data definition statements of Apache Doris and of MySQL, and renders a table as SHOW CREATE TABLE does. A
 * hand-written recursive descent over the tokens of {@link org.keyline.planner.digest}: every statement is read in one pass,
 * nesting is bounded, and what is not understood is an error that names the token.
 *
 * <p>Both kinds of store read definitions: the embedded one keeps them, the one behind the wire reads what Doris answers to SHOW
 * CREATE TABLE. So this knows neither of them, nor packets; of the planner it has the tokens and the words of the catalog.
 */
@NullMarked
package org.keyline.stores.ddl;

import org.jspecify.annotations.NullMarked;
