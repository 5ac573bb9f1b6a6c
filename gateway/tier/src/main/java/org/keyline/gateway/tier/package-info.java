/** Messages between the gateways of one store, and their effect on lines. */
@NullMarked
package org.keyline.gateway.tier;

import org.jspecify.annotations.NullMarked;
