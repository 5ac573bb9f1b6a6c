/**
 * A YCSB client over JDBC, workloads that verify every row, and the experiments of {@code docs}.
 *
 * <p>The package has more than 20 classes because each experiment has its own. YCSB finds its
 * client and workloads by their full names, which the workload files of users contain.
 */
@NullMarked
package org.keyline.ycsb;

import org.jspecify.annotations.NullMarked;
