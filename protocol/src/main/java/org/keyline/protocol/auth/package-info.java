/**
 * Password authentication of the MySQL protocol: digests, stored credentials, and both halves of
 * the exchange as state machines over byte arrays. The package does not depend on Netty channels;
 * the server and client connections carry the packets.
 */
@NullMarked
package org.keyline.protocol.auth;

import org.jspecify.annotations.NullMarked;
