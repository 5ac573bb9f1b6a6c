/** Filter lines: complete results of conditions that bind no key prefix, and their choice. */
@NullMarked
package org.keyline.gateway.filter;

import org.jspecify.annotations.NullMarked;
