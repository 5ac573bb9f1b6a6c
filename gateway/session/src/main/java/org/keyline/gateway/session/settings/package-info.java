/** Tracks what determines the meaning of a session's statements: variables, schema, transaction. */
@NullMarked
package org.keyline.gateway.session.settings;

import org.jspecify.annotations.NullMarked;
