/** The statements that the gateway answers itself, and their results. */
@NullMarked
package org.keyline.gateway.session.local;

import org.jspecify.annotations.NullMarked;
