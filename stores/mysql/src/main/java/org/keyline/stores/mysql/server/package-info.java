/** The servers of one store, and the one in use. */
@NullMarked
package org.keyline.stores.mysql.server;

import org.jspecify.annotations.NullMarked;
