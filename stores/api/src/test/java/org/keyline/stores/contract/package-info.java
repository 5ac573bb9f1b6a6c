/** What every store has to do, as tests: each kind of store runs them against itself. */
@NullMarked
package org.keyline.stores.contract;

import org.jspecify.annotations.NullMarked;
