/** The embedded store beside a real MariaDB: the same statements on both, answers compared. */
@NullMarked
package org.keyline.gateway.oracle;

import org.jspecify.annotations.NullMarked;
