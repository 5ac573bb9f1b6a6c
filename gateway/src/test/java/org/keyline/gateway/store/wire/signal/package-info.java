/** Signals of stores behind the wire, without such a store. */
@NullMarked
package org.keyline.gateway.store.wire.signal;

import org.jspecify.annotations.NullMarked;
