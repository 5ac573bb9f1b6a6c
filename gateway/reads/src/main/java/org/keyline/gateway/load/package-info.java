/** Loads lines on store sessions of the gateway's own account. */
@NullMarked
package org.keyline.gateway.load;

import org.jspecify.annotations.NullMarked;
