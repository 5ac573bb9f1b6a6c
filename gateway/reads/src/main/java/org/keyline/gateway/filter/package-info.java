/** Manages filter lines: the complete results of conditions that bind no key prefix. */
@NullMarked
package org.keyline.gateway.filter;

import org.jspecify.annotations.NullMarked;
