package org.keyline.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Length-encoded integers and strings, and the protocol's NUL-terminated strings. Before they
 * allocate memory, methods that read ensure that all bytes are present.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_dt_integers.html">Integer
 * types</a>
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_dt_strings.html">String
 * types</a>
 */
public final class Lenenc {
    /** First byte of a NULL cell in a text row. */
    public static final int NULL = 0xFB;

    private static final int TWO_BYTES = 0xFC;
    private static final int THREE_BYTES = 0xFD;
    private static final int EIGHT_BYTES = 0xFE;
    private static final int MAX_ONE_BYTE = 0xFA;
    private static final int MAX_TWO_BYTES = 0xFFFF;
    private static final int MAX_THREE_BYTES = 0xFFFFFF;

    private Lenenc() {}

    public static int size(long value) {
        if (value < 0 || value > MAX_THREE_BYTES) {
            return 9;
        }
        return value <= MAX_ONE_BYTE ? 1 : value <= MAX_TWO_BYTES ? 3 : 4;
    }

    public static void writeInt(ByteBuf out, long value) {
        if (value < 0 || value > MAX_THREE_BYTES) {
            out.writeByte(EIGHT_BYTES).writeLongLE(value);
        } else if (value <= MAX_ONE_BYTE) {
            out.writeByte((int) value);
        } else if (value <= MAX_TWO_BYTES) {
            out.writeByte(TWO_BYTES).writeShortLE((int) value);
        } else {
            out.writeByte(THREE_BYTES).writeMediumLE((int) value);
        }
    }

    /**
     * Reads an unsigned 64-bit integer.
     *
     * @throws ProtocolException if the bytes end early or start with 0xFB or 0xFF
     */
    public static long readInt(ByteBuf in) {
        require(in, 1);
        int first = in.readUnsignedByte();
        if (first <= MAX_ONE_BYTE) {
            return first;
        }
        switch (first) {
            case TWO_BYTES -> {
                require(in, 2);
                return in.readUnsignedShortLE();
            }
            case THREE_BYTES -> {
                require(in, 3);
                return in.readUnsignedMediumLE();
            }
            case EIGHT_BYTES -> {
                require(in, 8);
                return in.readLongLE();
            }
            default -> throw new ProtocolException("length-encoded integer starts with " + first);
        }
    }

    /** Reads a length, and throws a ProtocolException if {@code in} has fewer bytes left. */
    public static int readLength(ByteBuf in) {
        long length = readInt(in);
        if (length < 0 || length > in.readableBytes()) {
            throw new ProtocolException(
                    "length: " + Long.toUnsignedString(length) + " (expected: <= " + in.readableBytes() + ")");
        }
        return (int) length;
    }

    public static byte[] readBytes(ByteBuf in) {
        return ByteBufUtil.getBytes(in.readSlice(readLength(in)));
    }

    public static String readString(ByteBuf in, Charset charset) {
        int length = readLength(in);
        String text = in.toString(in.readerIndex(), length, charset);
        in.skipBytes(length);
        return text;
    }

    public static String readString(ByteBuf in) {
        return readString(in, StandardCharsets.UTF_8);
    }

    public static void skipString(ByteBuf in) {
        in.skipBytes(readLength(in));
    }

    public static void writeBytes(ByteBuf out, byte[] bytes) {
        writeInt(out, bytes.length);
        out.writeBytes(bytes);
    }

    public static void writeString(ByteBuf out, String text) {
        int length = ByteBufUtil.utf8Bytes(text);
        writeInt(out, length);
        ByteBufUtil.reserveAndWriteUtf8(out, text, length);
    }

    /** Reads up to a NUL, or to the end of {@code in}, because some clients omit the last NUL. */
    public static String readNulString(ByteBuf in, Charset charset) {
        int length = in.bytesBefore((byte) 0);
        boolean terminated = length >= 0;
        if (!terminated) {
            length = in.readableBytes();
        }
        String text = in.toString(in.readerIndex(), length, charset);
        in.skipBytes(terminated ? length + 1 : length);
        return text;
    }

    public static void writeNulString(ByteBuf out, String text) {
        ByteBufUtil.writeUtf8(out, text);
        out.writeByte(0);
    }

    /** Throws a ProtocolException if fewer than {@code bytes} remain. */
    static void require(ByteBuf in, int bytes) {
        if (in.readableBytes() < bytes) {
            throw new ProtocolException("bytes left: " + in.readableBytes() + " (expected: >= " + bytes + ")");
        }
    }
}
