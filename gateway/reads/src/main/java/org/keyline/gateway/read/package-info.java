/** Point reads, answered by rows of lines in a template learned from a reply of the store. */
@NullMarked
package org.keyline.gateway.read;

import org.jspecify.annotations.NullMarked;
