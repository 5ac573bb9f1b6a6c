/**
 * The tables of a store behind the MySQL protocol: read over JDBC, dialect by dialect, and answered from memory. Nothing here is on
 * the way of a client's bytes.
 */
@NullMarked
package org.keyline.gateway.store.wire.catalog;

import org.jspecify.annotations.NullMarked;
