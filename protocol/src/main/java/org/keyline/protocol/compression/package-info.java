/** The compressed protocol: a layer between the socket, or TLS, and the packets of a connection. */
@NullMarked
package org.keyline.protocol.compression;

import org.jspecify.annotations.NullMarked;
