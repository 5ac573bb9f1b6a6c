/**
 * Point reads answered from lines: values to key bytes, key bytes to a line, rows to a reply; and what keeps that right, the fences
 * of writes and the templates learned from the store's own replies.
 */
@NullMarked
package org.keyline.gateway.query;

import org.jspecify.annotations.NullMarked;
