/** Change signals: binary logs of MySQL and MariaDB, versions of Doris and StarRocks. */
@NullMarked
package org.keyline.stores.mysql.signal;

import org.jspecify.annotations.NullMarked;
