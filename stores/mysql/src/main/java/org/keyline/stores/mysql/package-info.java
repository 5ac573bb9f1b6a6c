/**
 * Stores behind the MySQL protocol. A client's session is the connection on which the client logged
 * in; packets pass through unchanged. Loads use connections of the gateway's own account.
 */
@NullMarked
package org.keyline.stores.mysql;

import org.jspecify.annotations.NullMarked;
