package org.keyline.protocol.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Valid inputs with random changes, by seed. */
final class Mutations {
    private static final int MAX_MUTATIONS = 6;
    private static final int MAX_LENGTH = 64 * 1024;
    private static final int[] INTERESTING = {0x00, 0x01, 0x7F, 0x80, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF};

    private Mutations() {}

    /** Returns one of the seeds, changed in some places; rarely unchanged. */
    static byte[] of(Random random, List<byte[]> seeds) {
        byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
        for (int left = random.nextInt(MAX_MUTATIONS + 1); left > 0; left--) {
            bytes = mutate(random, bytes, seeds.get(random.nextInt(seeds.size())));
        }
        return bytes.length > MAX_LENGTH ? Arrays.copyOf(bytes, MAX_LENGTH) : bytes;
    }

    private static byte[] mutate(Random random, byte[] bytes, byte[] other) {
        if (bytes.length == 0) {
            return other.clone();
        }
        int at = random.nextInt(bytes.length);
        int length = 1 + random.nextInt(Math.min(16, bytes.length - at));
        switch (random.nextInt(8)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) INTERESTING[random.nextInt(INTERESTING.length)];
            case 2 -> bytes[at] = (byte) random.nextInt(256);
            case 3 -> Arrays.fill(bytes, at, at + length, (byte) INTERESTING[random.nextInt(INTERESTING.length)]);
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 5 -> {
                return join(bytes, 0, at, bytes, at + length, bytes.length);
            }
            case 6 -> {
                return join(bytes, 0, at + length, bytes, at, bytes.length);
            }
            default -> {
                return join(bytes, 0, at, other, random.nextInt(other.length + 1), other.length);
            }
        }
        return bytes;
    }

    private static byte[] join(byte[] left, int leftFrom, int leftTo, byte[] right, int rightFrom, int rightTo) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(left, leftFrom, leftTo - leftFrom);
        out.write(right, rightFrom, rightTo - rightFrom);
        return out.toByteArray();
    }
}
