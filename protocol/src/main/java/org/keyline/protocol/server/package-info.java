/**
 * The server's end of a connection: greeting, TLS, authentication, then one command after the other, each answered
 * through a {@link org.keyline.protocol.server.Reply}. What the commands mean is the
 * {@link org.keyline.protocol.server.CommandHandler}'s business.
 *
 * <p>It has more than 20 classes because a connection is one state machine: login, commands, output and memory are classes of their own
 * that share the states of {@code ServerConnection}, which nobody else is to see.
 */
@NullMarked
package org.keyline.protocol.server;

import org.jspecify.annotations.NullMarked;
