/** What a session's statements have set, as far as it changes what its later ones mean: variables, schema, transaction. */
@NullMarked
package org.keyline.gateway.session.settings;

import org.jspecify.annotations.NullMarked;
