package org.keyline.protocol.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads the protocol's fixed-width integers from byte arrays. */
final class LittleEndian {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    static int uint16(byte[] source, int offset) {
        return (short) SHORT.get(source, offset) & 0xFFFF;
    }

    static int uint24(byte[] source, int offset) {
        return uint16(source, offset) | (source[offset + 2] & 0xFF) << 16;
    }

    static int int32(byte[] source, int offset) {
        return (int) INT.get(source, offset);
    }

    static long int64(byte[] source, int offset) {
        return (long) LONG.get(source, offset);
    }
}
