/** Audits hits: compares a sample of them with the store. */
@NullMarked
package org.keyline.gateway.audit;

import org.jspecify.annotations.NullMarked;
