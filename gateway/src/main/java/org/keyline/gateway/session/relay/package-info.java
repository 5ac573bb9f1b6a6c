/** A session's way to its store session and back: commands relayed as they are, and errands of the gateway's own before them. */
@NullMarked
package org.keyline.gateway.session.relay;

import org.jspecify.annotations.NullMarked;
