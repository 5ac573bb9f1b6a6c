/**
 * Point reads from lines. A plan and its values select a line. The reply consists of the line's
 * rows and the template, which comes from the store's own reply.
 */
@NullMarked
package org.keyline.gateway.read;

import org.jspecify.annotations.NullMarked;
