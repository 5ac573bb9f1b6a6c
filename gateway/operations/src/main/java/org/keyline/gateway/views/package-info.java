/** Shows the gateway's state in SQL, as views of the schema {@code keyline}. */
@NullMarked
package org.keyline.gateway.views;

import org.jspecify.annotations.NullMarked;
