/** Selects and configures the sockets of event loops. */
@NullMarked
package org.keyline.protocol.transport;

import org.jspecify.annotations.NullMarked;
