/**
 * Encoding and decoding of packets: framing, result-set rows in the text and the binary protocol,
 * and the values bound by COM_STMT_EXECUTE. The package works only on buffers; the packages
 * {@code server} and {@code client} have the connections.
 */
@NullMarked
package org.keyline.protocol.codec;

import org.jspecify.annotations.NullMarked;
