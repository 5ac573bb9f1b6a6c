/**
 * The sessions of clients: replies from lines, forwarding to the store, and the session state that
 * makes both equivalent. {@link Session} dispatches to the packages below.
 */
@NullMarked
package org.keyline.gateway.session;

import org.jspecify.annotations.NullMarked;
