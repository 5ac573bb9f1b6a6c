/** Lists the servers of a store, and selects the one in use. */
@NullMarked
package org.keyline.stores.mysql.server;

import org.jspecify.annotations.NullMarked;
