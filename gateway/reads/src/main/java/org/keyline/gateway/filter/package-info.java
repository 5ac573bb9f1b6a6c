/**
 * Filter lines: complete results of conditions that bind no key prefix. Also the choice of a line
 * for a read.
 */
@NullMarked
package org.keyline.gateway.filter;

import org.jspecify.annotations.NullMarked;
