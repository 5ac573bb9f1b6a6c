/**
 * Implements the server side of a connection: greeting, TLS, authentication, then one command after
 * the other. A {@link org.keyline.protocol.server.CommandHandler} handles each command, and answers
 * it through a {@link org.keyline.protocol.server.Reply}.
 *
 * <p>The package has more than 20 classes because a connection is one state machine. Login,
 * commands, output and memory are separate classes that share the package-private state of {@code
 * ServerConnection}.
 */
@NullMarked
package org.keyline.protocol.server;

import org.jspecify.annotations.NullMarked;
