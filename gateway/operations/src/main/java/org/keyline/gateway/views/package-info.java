/**
 * The gateway's state in SQL: the views of the schema {@code keyline}, and the execution of reads.
 */
@NullMarked
package org.keyline.gateway.views;

import org.jspecify.annotations.NullMarked;
