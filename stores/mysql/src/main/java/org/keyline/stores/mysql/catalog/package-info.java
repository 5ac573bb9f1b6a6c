/**
 * The tables of a store behind the MySQL protocol: read over JDBC, dialect by dialect, and served
 * from memory. No code here handles a client's bytes.
 *
 * <p>It has more than 20 classes because a reading of the catalog uses nearly all of them, and only
 * {@code WireCatalog}, {@code Dialect} and their results are for other packages: in packages of
 * their own the readers would all be public.
 */
@NullMarked
package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.NullMarked;
