package org.keyline.protocol.fuzz;

import java.util.List;

/** Code under arbitrary input. */
interface FuzzTarget {
    /** Returns valid inputs to start from. */
    List<byte[]> seeds();

    /** Throws if the code violates its contract for this input. */
    void run(byte[] input);
}
