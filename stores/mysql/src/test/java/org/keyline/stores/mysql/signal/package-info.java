/** Signals of stores behind the wire, tested without such a store. */
@NullMarked
package org.keyline.stores.mysql.signal;

import org.jspecify.annotations.NullMarked;
