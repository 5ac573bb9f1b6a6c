/**
 * Point reads answered from lines: a plan and its values select a line; its rows and the template,
 * from the store's own reply, make the reply.
 */
@NullMarked
package org.keyline.gateway.read;

import org.jspecify.annotations.NullMarked;
