/**
 * Filter lines: complete results of conditions that bind no key prefix, and the choice of the line
 * for a read.
 */
@NullMarked
package org.keyline.gateway.filter;

import org.jspecify.annotations.NullMarked;
