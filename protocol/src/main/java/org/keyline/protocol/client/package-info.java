/**
 * The client side of the protocol: a connection that relays or decodes replies, and the scanner
 * that finds the end of a reply without decoding its rows.
 *
 * <p>The package has more than 20 classes because half of them are parts of {@code
 * ClientConnection} or of {@link ReplyScanner}, on which all other classes here depend.
 */
@NullMarked
package org.keyline.protocol.client;

import org.jspecify.annotations.NullMarked;
