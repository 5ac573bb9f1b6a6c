@NullMarked
package org.keyline.gateway.filter;

import org.jspecify.annotations.NullMarked;
