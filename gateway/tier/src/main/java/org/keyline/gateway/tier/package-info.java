/** Lets the gateways of one store report writes to each other, and share lines in a tier. */
@NullMarked
package org.keyline.gateway.tier;

import org.jspecify.annotations.NullMarked;
