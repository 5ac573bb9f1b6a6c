/** The state of a session's client, and the shared parts of all sessions or of one event loop. */
@NullMarked
package org.keyline.gateway.session.state;

import org.jspecify.annotations.NullMarked;
