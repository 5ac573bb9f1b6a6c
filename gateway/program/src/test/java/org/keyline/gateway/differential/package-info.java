/** Generated statements whose answers must not depend on their source: line, load or store. */
@NullMarked
package org.keyline.gateway.differential;

import org.jspecify.annotations.NullMarked;
