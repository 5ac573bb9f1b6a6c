/**
 * Password authentication of the MySQL protocol: digests, stored credentials, and both sides of the
 * exchange as state machines over byte arrays. Independent of Netty channels; the server and client
 * connections send and receive the packets.
 */
@NullMarked
package org.keyline.protocol.auth;

import org.jspecify.annotations.NullMarked;
