/**
 * The settings of a session on which the meaning of its statements depends: variables, schema,
 * transaction.
 */
@NullMarked
package org.keyline.gateway.session.settings;

import org.jspecify.annotations.NullMarked;
