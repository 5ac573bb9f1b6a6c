/**
 * The tables of a store behind the MySQL protocol: read over JDBC, dialect by dialect, and answered from memory. Nothing here is on
 * the way of a client's bytes.
 */
@NullMarked
package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.NullMarked;
