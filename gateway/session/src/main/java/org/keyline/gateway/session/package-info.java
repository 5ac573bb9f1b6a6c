/** The sessions of clients. {@link Session} dispatches their commands to the subpackages. */
@NullMarked
package org.keyline.gateway.session;

import org.jspecify.annotations.NullMarked;
