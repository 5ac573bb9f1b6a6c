/** What gateways in front of one store tell each other, and what follows from it for lines. */
@NullMarked
package org.keyline.gateway.tier;

import org.jspecify.annotations.NullMarked;
