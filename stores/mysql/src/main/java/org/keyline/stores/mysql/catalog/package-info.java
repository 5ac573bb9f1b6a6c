/**
 * Reads the tables of a store behind the MySQL protocol over JDBC, and returns them from memory.
 * Each pass over the store's definitions is called a reading. No code here handles a client's
 * bytes.
 *
 * <p>The package has more than 20 classes because a reading of the catalog uses nearly all of them.
 * Only {@code WireCatalog}, {@code Dialect} and their results are for other packages. If the
 * readers were in a package of their own, all of them would have to be public.
 */
@NullMarked
package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.NullMarked;
