/**
 * Log lines on their way to stderr: escaped, bounded, on a thread of their own. {@code logback.xml}
 * names these classes.
 */
@NullMarked
package org.keyline.gateway.log;

import org.jspecify.annotations.NullMarked;
