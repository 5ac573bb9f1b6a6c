/**
 * Encodes and decodes packets: their framing, result-set rows in the text and the binary protocol,
 * and the values that COM_STMT_EXECUTE binds. The package works only on buffers; connections are in
 * the packages {@code server} and {@code client}.
 */
@NullMarked
package org.keyline.protocol.codec;

import org.jspecify.annotations.NullMarked;
