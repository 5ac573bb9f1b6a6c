/**
 * Stores behind the MySQL protocol. If the store authenticates clients, a client's session uses the
 * connection of its login. Loads use connections of the gateway's own account.
 */
@NullMarked
package org.keyline.stores.mysql;

import org.jspecify.annotations.NullMarked;
