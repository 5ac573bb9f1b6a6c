/** Durations and sizes as people write them. */
@NullMarked
package org.keyline.gateway.units;

import org.jspecify.annotations.NullMarked;
