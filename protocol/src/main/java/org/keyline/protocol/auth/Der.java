package org.keyline.protocol.auth;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Encodes the values of ASN.1's distinguished encoding rules (DER) in an X.509 certificate. */
final class Der {
    private static final DateTimeFormatter UTC_TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter GENERALIZED_TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final Instant YEAR_2050 = Instant.parse("2050-01-01T00:00:00Z");

    private Der() {}

    static byte[] sequence(byte[]... values) {
        return tagged(0x30, values);
    }

    static byte[] set(byte[]... values) {
        return tagged(0x31, values);
    }

    static byte[] integer(BigInteger value) {
        return tagged(0x02, value.toByteArray());
    }

    static byte[] bool(boolean value) {
        return tagged(0x01, new byte[] {(byte) (value ? 0xFF : 0)});
    }

    static byte[] utf8(String text) {
        return tagged(0x0C, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] octets(byte[]... values) {
        return tagged(0x04, values);
    }

    static byte[] bits(byte[] bytes) {
        return tagged(0x03, new byte[] {0}, bytes);
    }

    /**
     * Encodes a time. X.509 requires years of two digits before 2050, and of four digits from 2050
     * on.
     */
    static byte[] time(Instant time) {
        boolean early = time.isBefore(YEAR_2050);
        String text = (early ? UTC_TIME : GENERALIZED_TIME).format(time);
        return tagged(early ? 0x17 : 0x18, text.getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] oid(int first, int second, int... arcs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first * 40 + second);
        for (int arc : arcs) {
            for (int shift = 28; shift > 0; shift -= 7) {
                if (arc >>> shift != 0) {
                    out.write(0x80 | (arc >>> shift & 0x7F));
                }
            }
            out.write(arc & 0x7F);
        }
        return tagged(0x06, out.toByteArray());
    }

    static byte[] tagged(int tag, byte[]... contents) {
        int length = 0;
        for (byte[] content : contents) {
            length += content.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 6);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else {
            byte[] size = BigInteger.valueOf(length).toByteArray();
            int from = size[0] == 0 ? 1 : 0;
            out.write(0x80 | (size.length - from));
            out.write(size, from, size.length - from);
        }
        for (byte[] content : contents) {
            out.write(content, 0, content.length);
        }
        return out.toByteArray();
    }
}
