/** What the gateway tells of itself in SQL: the views of the schema {@code keyline}, their rows, and who answers reads of them. */
@NullMarked
package org.keyline.gateway.views;

import org.jspecify.annotations.NullMarked;
