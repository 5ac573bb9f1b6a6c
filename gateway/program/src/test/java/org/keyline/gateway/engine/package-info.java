/** The gateway in front of stores of other vendors, which scripts install and start. */
@NullMarked
package org.keyline.gateway.engine;

import org.jspecify.annotations.NullMarked;
