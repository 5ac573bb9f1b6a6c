/** Log lines to stderr by a separate thread, escaped and bounded, as in {@code logback.xml}. */
@NullMarked
package org.keyline.gateway.log;

import org.jspecify.annotations.NullMarked;
