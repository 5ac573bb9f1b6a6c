/** Settings that give a session's statements their meaning: variables, schema, transaction. */
@NullMarked
package org.keyline.gateway.session.settings;

import org.jspecify.annotations.NullMarked;
