/**
 * The client side of the protocol: a connection that relays or decodes replies, and the scanner that finds the end of a
 * reply in the bytes of a server without decoding what it does not need.
 *
 * <p>It has more than 20 classes because half of them are the parts of two: of {@code ClientConnection} and of {@link ReplyScanner}, on
 * which every other class here works.
 */
@NullMarked
package org.keyline.protocol.client;

import org.jspecify.annotations.NullMarked;
