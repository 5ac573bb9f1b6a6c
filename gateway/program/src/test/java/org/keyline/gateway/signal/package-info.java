/** Writes past the gateway, as change signals report them. */
@NullMarked
package org.keyline.gateway.signal;

import org.jspecify.annotations.NullMarked;
