/**
 * The interface of stores: a catalog of tables, and sessions that receive commands and answer with
 * packets. The embedded store and the remote one both use packets here, so that forwarding,
 * templates and loads need only one mechanism.
 */
@NullMarked
package org.keyline.stores;

import org.jspecify.annotations.NullMarked;
