/**
 * A YCSB client over JDBC and the experiments that use it.
 */
@NullMarked
package org.keyline.ycsb;

import org.jspecify.annotations.NullMarked;
