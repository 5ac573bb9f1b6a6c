/**
 * A YCSB client over JDBC, workloads whose every row is verified, and the experiments of the report.
 *
 * <p>It has more than 20 classes because each experiment is one, and YCSB finds its client and workloads by their full names, which stand
 * in the workload files of users.
 */
@NullMarked
package org.keyline.ycsb;

import org.jspecify.annotations.NullMarked;
