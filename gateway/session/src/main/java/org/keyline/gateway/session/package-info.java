/** The sessions of clients. {@link Session} dispatches their commands to the packages below. */
@NullMarked
package org.keyline.gateway.session;

import org.jspecify.annotations.NullMarked;
