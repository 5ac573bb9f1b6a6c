/**
 * Log lines on the way to stderr: escaped, bounded, and written by a separate thread.
 * {@code logback.xml} names these classes.
 */
@NullMarked
package org.keyline.gateway.log;

import org.jspecify.annotations.NullMarked;
