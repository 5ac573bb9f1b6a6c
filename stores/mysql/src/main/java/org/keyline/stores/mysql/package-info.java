/**
 * Stores behind the MySQL protocol. A client's session is the very connection that logged the client in; packets pass as they are.
 * Loads run on connections of the gateway's own account.
 */
@NullMarked
package org.keyline.stores.mysql;

import org.jspecify.annotations.NullMarked;
