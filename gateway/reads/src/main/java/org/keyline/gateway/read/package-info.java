/** Answers point reads with rows from lines and packets recorded from earlier replies. */
@NullMarked
package org.keyline.gateway.read;

import org.jspecify.annotations.NullMarked;
