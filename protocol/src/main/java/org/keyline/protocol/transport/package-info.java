/** How event loops reach their sockets. */
@NullMarked
package org.keyline.protocol.transport;

import org.jspecify.annotations.NullMarked;
