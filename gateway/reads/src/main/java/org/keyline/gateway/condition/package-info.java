/**
 * Conditions on columns: sets of values as intervals of key bytes, and their evaluation on rows.
 */
@NullMarked
package org.keyline.gateway.condition;

import org.jspecify.annotations.NullMarked;
