/** How log lines reach stderr: escaped, bounded, by a thread of their own. Named in {@code logback.xml}. */
@NullMarked
package org.keyline.gateway.log;

import org.jspecify.annotations.NullMarked;
