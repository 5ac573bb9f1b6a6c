/**
 * A session's connection to its store session: relayed commands, and internal commands before them.
 */
@NullMarked
package org.keyline.gateway.session.relay;

import org.jspecify.annotations.NullMarked;
