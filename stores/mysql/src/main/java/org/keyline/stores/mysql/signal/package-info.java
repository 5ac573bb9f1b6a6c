/**
 * Change signals of stores behind the MySQL protocol: the row binary log of MySQL and MariaDB, the
 * partition versions of Doris and StarRocks.
 */
@NullMarked
package org.keyline.stores.mysql.signal;

import org.jspecify.annotations.NullMarked;
