/** The model of several gateways with a shared tier. */
@NullMarked
package org.keyline.gateway.tier;

import org.jspecify.annotations.NullMarked;
