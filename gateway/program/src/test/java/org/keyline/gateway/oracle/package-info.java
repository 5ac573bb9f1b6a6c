/** The embedded store compared with a real MariaDB: the same statements on both. */
@NullMarked
package org.keyline.gateway.oracle;

import org.jspecify.annotations.NullMarked;
