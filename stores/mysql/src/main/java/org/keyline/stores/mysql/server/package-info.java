/** The servers of one store, and which of them is used. */
@NullMarked
package org.keyline.stores.mysql.server;

import org.jspecify.annotations.NullMarked;
