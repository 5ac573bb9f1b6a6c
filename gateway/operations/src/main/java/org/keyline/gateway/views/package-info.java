/** The gateway's state in SQL: the views of the schema {@code keyline}, and their reads. */
@NullMarked
package org.keyline.gateway.views;

import org.jspecify.annotations.NullMarked;
