/** How a store tells of changes that did not come through the gateway. */
@NullMarked
package org.keyline.gateway.signal;

import org.jspecify.annotations.NullMarked;
