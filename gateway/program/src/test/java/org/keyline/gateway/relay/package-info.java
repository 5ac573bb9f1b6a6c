/** A gateway in front of a real MariaDB, compared with that MariaDB directly. */
@NullMarked
package org.keyline.gateway.relay;

import org.jspecify.annotations.NullMarked;
