/** Log lines to stderr by a separate thread, escaped and bounded. */
@NullMarked
package org.keyline.gateway.log;

import org.jspecify.annotations.NullMarked;
