/** A session's commands, one class per group. */
@NullMarked
package org.keyline.gateway.session.command;

import org.jspecify.annotations.NullMarked;
