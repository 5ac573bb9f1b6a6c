/**
 * The interface of stores: a catalog of tables, and sessions that accept commands and answer with
 * packets. The embedded store and the one behind the wire both use packets here, so that
 * forwarding, templates and loads need one mechanism only.
 */
@NullMarked
package org.keyline.stores;

import org.jspecify.annotations.NullMarked;
