/**
 * Lines of rows under key prefixes, their loads and their fences. Bytes in, bytes out; knows no schema.
 *
 * <p>It has more than 20 classes because the order in which loads, fences and reads see each other's steps is kept inside of this package:
 * what a line, a slot and a fence share is visible to no other.
 */
@NullMarked
package org.keyline.rowcache;

import org.jspecify.annotations.NullMarked;
