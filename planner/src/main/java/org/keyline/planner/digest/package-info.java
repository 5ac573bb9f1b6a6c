/**
 * Reads statements as bytes. {@link org.keyline.planner.digest.Lexer} splits them by MySQL's
 * lexical grammar, and {@link org.keyline.planner.digest.Digester} replaces their literals in one
 * pass. Both classes read any bytes in linear time without an exception. The package knows neither
 * plans nor catalogs.
 */
@NullMarked
package org.keyline.planner.digest;

import org.jspecify.annotations.NullMarked;
