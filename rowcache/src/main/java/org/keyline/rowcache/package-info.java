/**
 * Caches rows as lines, complete sets of the rows under one key prefix. Loads fill lines, and
 * fences drop them. The cache works on bytes and does not depend on a schema.
 *
 * <p>The package has more than 20 classes because the ordering of loads, fences and reads is
 * internal to it. No other package sees the state that a line, a slot and a fence share.
 */
@NullMarked
package org.keyline.rowcache;

import org.jspecify.annotations.NullMarked;
