/** One gateway's change signal, told to the others. */
@NullMarked
package org.keyline.gateway.signal;

import org.jspecify.annotations.NullMarked;
