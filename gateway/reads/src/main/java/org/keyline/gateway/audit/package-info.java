/** The audit: compares a sample of hits with the store. */
@NullMarked
package org.keyline.gateway.audit;

import org.jspecify.annotations.NullMarked;
