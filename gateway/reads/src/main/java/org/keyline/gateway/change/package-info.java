/**
 * The invalidation of lines: the fences of writes through this gateway, and the change signals that
 * report all other writes.
 */
@NullMarked
package org.keyline.gateway.change;

import org.jspecify.annotations.NullMarked;
