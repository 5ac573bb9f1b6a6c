/**
 * Reads the data definition statements of Apache Doris and of MySQL, and renders a table as SHOW CREATE TABLE does. A
 * hand-written recursive descent over the tokens of {@link org.keyline.planner.digest}: every statement is read in one pass,
 * nesting is bounded, and what is not understood is an error that names the token.
 */
@NullMarked
package org.keyline.planner.ddl;

import org.jspecify.annotations.NullMarked;
