/** The state of one session, and objects that all sessions or one event loop's sessions share. */
@NullMarked
package org.keyline.gateway.session.state;

import org.jspecify.annotations.NullMarked;
