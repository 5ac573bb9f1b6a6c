package org.keyline.gateway.simulator;

import java.util.function.LongFunction;

/**
 * Runs the histories of a mutant within its class loader: returns the violation in a seed's
 * history, or nothing.
 */
public final class MutantRun implements LongFunction<String> {
    private final History history = new History();

    @Override
    public String apply(long seed) {
        try {
            history.run(seed);
            return "";
        } catch (Violation violation) {
            return String.valueOf(violation.getMessage());
        }
    }
}
