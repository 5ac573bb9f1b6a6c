/** Writes log lines to stderr on a separate thread, after escaping them. Truncates long lines. */
@NullMarked
package org.keyline.gateway.log;

import org.jspecify.annotations.NullMarked;
