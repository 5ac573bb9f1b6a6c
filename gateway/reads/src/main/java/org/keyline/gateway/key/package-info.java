/** Key columns: values in a statement, cells of the store, and canonical key bytes. */
@NullMarked
package org.keyline.gateway.key;

import org.jspecify.annotations.NullMarked;
