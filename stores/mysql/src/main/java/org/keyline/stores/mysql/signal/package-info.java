/** Learns of writes that bypass the gateway, from binary logs or from versions of partitions. */
@NullMarked
package org.keyline.stores.mysql.signal;

import org.jspecify.annotations.NullMarked;
