/**
 * Implements the password authentication of the MySQL protocol: digests, stored credentials, and
 * both sides of the exchange, as state machines over byte arrays. The server and client connections
 * send and receive the packets; this package uses no Netty channels.
 */
@NullMarked
package org.keyline.protocol.auth;

import org.jspecify.annotations.NullMarked;
