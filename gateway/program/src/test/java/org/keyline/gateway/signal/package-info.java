/** Writes past the gateway, as it hears of them by change signals. */
@NullMarked
package org.keyline.gateway.signal;

import org.jspecify.annotations.NullMarked;
