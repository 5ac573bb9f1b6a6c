/** Pipelines of commands compared with the same commands one by one. */
@NullMarked
package org.keyline.gateway.pipeline;

import org.jspecify.annotations.NullMarked;
