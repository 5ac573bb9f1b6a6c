/** Who a session's client is, and what sessions share: all of them, or those of one event loop. */
@NullMarked
package org.keyline.gateway.session.state;

import org.jspecify.annotations.NullMarked;
