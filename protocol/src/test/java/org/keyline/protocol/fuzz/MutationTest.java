package org.keyline.protocol.fuzz;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every target with its seeds and with mutations of them, the same ones in every build. */
final class MutationTest {
    static Stream<Arguments> targets() {
        return Stream.of(
                target(new PacketFramerTarget(), 20_000),
                target(new HandshakeResponseTarget(), 50_000),
                target(new ExecuteParametersTarget(), 50_000),
                target(new ReplyScannerTarget(), 20_000),
                target(new ServerConnectionTarget(), 4_000));
    }

    private static Arguments target(FuzzTarget target, int count) {
        return Arguments.of(Named.of(target.getClass().getSimpleName(), target), count);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void validInput_satisfiesTheInvariants(FuzzTarget target, int count) {
        target.seeds().forEach(target::run);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void mutatedInput_satisfiesTheInvariants(FuzzTarget target, int count) {
        List<byte[]> seeds = target.seeds();
        for (int seed = 1; seed <= count; seed++) {
            byte[] input = Mutations.of(new Random(seed * 0x9E37_79B9_7F4A_7C15L), seeds);
            try {
                target.run(input);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
    }
}
