/**
 * Bytes to packets and packets to bytes: framing, result-set rows in the text and the binary protocol, and the values
 * bound by COM_STMT_EXECUTE. Works on buffers only; the connection lives in {@code server} and {@code client}.
 */
@NullMarked
package org.keyline.protocol.codec;

import org.jspecify.annotations.NullMarked;
