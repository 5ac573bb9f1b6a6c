/**
 * Point reads answered from lines: a plan and its values to a line, the line's rows and the template that was learned from the store's own
 * reply to an answer.
 */
@NullMarked
package org.keyline.gateway.read;

import org.jspecify.annotations.NullMarked;
