/** Implements the compressed protocol, a layer between the socket (or TLS) and the packets. */
@NullMarked
package org.keyline.protocol.compression;

import org.jspecify.annotations.NullMarked;
