/** A gateway in front of a real MariaDB against that MariaDB straight. */
@NullMarked
package org.keyline.gateway.relay;

import org.jspecify.annotations.NullMarked;
