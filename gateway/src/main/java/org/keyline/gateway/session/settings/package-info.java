/**
 * The settings of a session that change the meaning of its later statements: variables, schema,
 * transaction.
 */
@NullMarked
package org.keyline.gateway.session.settings;

import org.jspecify.annotations.NullMarked;
