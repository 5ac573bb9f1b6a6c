/**
 * The sessions of clients: replies from lines, forwarding to the store, and the state that makes
 * the difference invisible. {@link Session} dispatches to the packages below.
 */
@NullMarked
package org.keyline.gateway.session;

import org.jspecify.annotations.NullMarked;
