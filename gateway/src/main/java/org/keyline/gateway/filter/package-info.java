/** Filter lines: complete results of conditions that bind no key prefix, and which of them answers what. */
@NullMarked
package org.keyline.gateway.filter;

import org.jspecify.annotations.NullMarked;
