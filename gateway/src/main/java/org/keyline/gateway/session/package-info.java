/**
 * One client's conversation: what is answered from lines, what goes to the store, and what the gateway must remember of
 * the session so that the difference cannot be seen. {@link Session} dispatches; the packages below have what it hands on to.
 */
@NullMarked
package org.keyline.gateway.session;

import org.jspecify.annotations.NullMarked;
