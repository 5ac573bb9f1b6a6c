/** What takes lines away: the fences of writes through this gateway, and the change signals that tell of all others. */
@NullMarked
package org.keyline.gateway.change;

import org.jspecify.annotations.NullMarked;
