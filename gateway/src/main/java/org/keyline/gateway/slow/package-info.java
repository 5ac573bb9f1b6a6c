/** The slow log: statements that took long, with where their time went. */
@NullMarked
package org.keyline.gateway.slow;

import org.jspecify.annotations.NullMarked;
