package org.keyline.rowcache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

final class Bytes {
    /** Accesses longs as big-endian, so that their unsigned order is the order of keys. */
    static final VarHandle BIG_ENDIAN_LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Accesses integers of a line's index, in the machine's byte order. */
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** Accesses shorts of a line's header, in the machine's byte order. */
    static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());

    static final byte[] NONE = {};

    private Bytes() {}

    static boolean startsWith(byte[] bytes, int from, int to, byte[] prefix, int prefixFrom, int prefixTo) {
        int length = prefixTo - prefixFrom;
        return to - from >= length && Arrays.equals(bytes, from, from + length, prefix, prefixFrom, prefixTo);
    }
}
