@NullMarked
package org.keyline.gateway.store.wire.catalog;

import org.jspecify.annotations.NullMarked;
