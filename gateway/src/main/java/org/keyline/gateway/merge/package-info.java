/** Single-row INSERTs of several clients that go to the store as one statement. */
@NullMarked
package org.keyline.gateway.merge;

import org.jspecify.annotations.NullMarked;
