/** Handles the commands of a session. Each class handles one group of commands. */
@NullMarked
package org.keyline.gateway.session.command;

import org.jspecify.annotations.NullMarked;
