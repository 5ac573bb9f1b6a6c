/** The slow log: slow statements, with the parts of their time. */
@NullMarked
package org.keyline.gateway.slow;

import org.jspecify.annotations.NullMarked;
