/**
 * The client side of the protocol: a connection that relays or decodes replies, and the scanner that finds the end of a
 * reply in the bytes of a server without decoding what it does not need.
 */
@NullMarked
package org.keyline.protocol.client;

import org.jspecify.annotations.NullMarked;
