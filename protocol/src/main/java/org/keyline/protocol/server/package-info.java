/**
 * The server's end of a connection: greeting, TLS, authentication, then one command after the other, each answered
 * through a {@link org.keyline.protocol.server.Reply}. What the commands mean is the
 * {@link org.keyline.protocol.server.CommandHandler}'s business.
 */
@NullMarked
package org.keyline.protocol.server;

import org.jspecify.annotations.NullMarked;
