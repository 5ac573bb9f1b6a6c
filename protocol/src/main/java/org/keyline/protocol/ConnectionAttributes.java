package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Connection attributes: key-value strings with which a client describes itself. A client may send
 * up to {@link #MAX_ATTRIBUTES} attributes of 64 KiB in total, as in MySQL.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/refman/8.4/en/performance-schema-connection-attribute-tables.html">Connection
 * attributes</a>
 */
final class ConnectionAttributes {
    static final int MAX_BYTES = 65_536;

    static final int MAX_ATTRIBUTES = 512;

    private ConnectionAttributes() {}

    static Map<String, String> copyOf(Map<String, String> attributes) {
        return attributes.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
    }

    static void write(ByteBuf out, Map<String, String> attributes) {
        long bytes = 0;
        for (Map.Entry<String, String> attribute : attributes.entrySet()) {
            bytes += encodedBytes(attribute.getKey()) + encodedBytes(attribute.getValue());
        }
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("attributes: " + bytes + " bytes (expected: <= " + MAX_BYTES + ")");
        }
        Lenenc.writeInt(out, bytes);
        for (Map.Entry<String, String> attribute : attributes.entrySet()) {
            Lenenc.writeString(out, attribute.getKey());
            Lenenc.writeString(out, attribute.getValue());
        }
    }

    static Map<String, String> read(ByteBuf in, Charset charset) {
        int bytes = Lenenc.readLength(in);
        if (bytes > MAX_BYTES) {
            throw new ProtocolException("attributes: " + bytes + " bytes (expected: <= " + MAX_BYTES + ")");
        }
        ByteBuf body = in.readSlice(bytes);
        Map<String, String> attributes = new LinkedHashMap<>();
        while (body.isReadable()) {
            if (attributes.size() == MAX_ATTRIBUTES) {
                throw new ProtocolException("attributes: more than " + MAX_ATTRIBUTES);
            }
            String key = Lenenc.readString(body, charset);
            attributes.put(key, Lenenc.readString(body, charset));
        }
        return attributes;
    }

    private static long encodedBytes(String text) {
        int bytes = ByteBufUtil.utf8Bytes(text);
        return Lenenc.size(bytes) + (long) bytes;
    }
}
