/**
 * Histories of concurrent operations, recorded by clients, and the search for an order that
 * explains them.
 */
@NullMarked
package org.keyline.gateway.history;

import org.jspecify.annotations.NullMarked;
