/**
 * A YCSB client over JDBC, workloads whose every row is verified, and the experiments of the report.
 */
@NullMarked
package org.keyline.ycsb;

import org.jspecify.annotations.NullMarked;
