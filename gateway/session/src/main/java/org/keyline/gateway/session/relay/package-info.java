/** Relays a client's commands to its store session, and runs internal commands before them. */
@NullMarked
package org.keyline.gateway.session.relay;

import org.jspecify.annotations.NullMarked;
