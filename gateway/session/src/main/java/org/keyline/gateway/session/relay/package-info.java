/** A session's connection to its store session, with internal commands before the client's. */
@NullMarked
package org.keyline.gateway.session.relay;

import org.jspecify.annotations.NullMarked;
