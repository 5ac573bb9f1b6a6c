/** The gateway in front of stores of other makes, which scripts install and start. */
@NullMarked
package org.keyline.gateway.engine;

import org.jspecify.annotations.NullMarked;
