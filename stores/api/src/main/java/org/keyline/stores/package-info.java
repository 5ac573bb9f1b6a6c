/**
 * Where rows live: a catalog of tables and sessions that take commands and answer packets. Both kinds of store, the embedded one
 * and one behind the wire, speak packets here, so that forwarding, templates and loads have one mechanism.
 */
@NullMarked
package org.keyline.stores;

import org.jspecify.annotations.NullMarked;
