/**
 * The tables of a store behind the MySQL protocol: read over JDBC, dialect by dialect, and answered from memory. Nothing here is on
 * the way of a client's bytes.
 *
 * <p>It has more than 20 classes because one reading of the catalog passes through nearly all of them, and only {@code WireCatalog},
 * {@code Dialect} and what they answer is for others: in packages of their own the readers would all be public.
 */
@NullMarked
package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.NullMarked;
