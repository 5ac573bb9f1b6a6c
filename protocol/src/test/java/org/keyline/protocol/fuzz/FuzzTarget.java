package org.keyline.protocol.fuzz;

import java.util.List;

/** Code under arbitrary input. */
interface FuzzTarget {
    /** Valid inputs to start from. */
    List<byte[]> seeds();

    /** Fails with anything thrown where the code does not keep its promises for this input. */
    void run(byte[] input);
}
