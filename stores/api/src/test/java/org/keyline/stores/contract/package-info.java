/** The contract of stores as tests, which each kind of store runs. */
@NullMarked
package org.keyline.stores.contract;

import org.jspecify.annotations.NullMarked;
