/**
 * Statement text as bytes: MySQL's lexical grammar ({@link org.keyline.planner.digest.Lexer}), and
 * the digest that replaces literals in one pass ({@link org.keyline.planner.digest.Digester}).
 * Independent of plans and catalogs. Reads any bytes in linear time without an exception.
 */
@NullMarked
package org.keyline.planner.digest;

import org.jspecify.annotations.NullMarked;
