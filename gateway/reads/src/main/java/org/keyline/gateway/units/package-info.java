/** Parses and formats durations and sizes. */
@NullMarked
package org.keyline.gateway.units;

import org.jspecify.annotations.NullMarked;
