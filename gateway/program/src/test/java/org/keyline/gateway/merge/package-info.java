@NullMarked
package org.keyline.gateway.merge;

import org.jspecify.annotations.NullMarked;
