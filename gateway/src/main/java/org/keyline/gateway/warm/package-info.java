/** What a gateway knows after a restart of what was read before: the keys of hot lines and the statements, never rows. */
@NullMarked
package org.keyline.gateway.warm;

import org.jspecify.annotations.NullMarked;
