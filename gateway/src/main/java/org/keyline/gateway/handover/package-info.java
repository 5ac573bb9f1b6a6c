/** The listening socket goes from the process that serves to the next one, so that a restart refuses nobody. */
@NullMarked
package org.keyline.gateway.handover;

import org.jspecify.annotations.NullMarked;
