package org.keyline.gateway.simulator;

import java.util.List;

/** The faults of a history, by their probabilities, and their counts. */
final class Faults {
    /** A fault of one command on its way to the store and back. */
    enum Fault {
        NONE,
        /** The store replies with an error and has no effect. */
        REFUSED,
        /** The connection is lost, and the command never arrives. */
        LOST_BEFORE,
        /** The connection is lost, and the command arrives, before or after the gateway knows. */
        LOST_BEHIND,
        /** The command runs, and the connection is lost within its reply. */
        LOST_WITHIN,
        /** No reply arrives, and the connection stays open. */
        SILENT
    }

    private final World world;
    private final double rate;
    private final double slow;

    long injected;
    long crashes;

    /** @param rate the share of commands with a fault */
    Faults(World world, double rate) {
        this.world = world;
        this.rate = rate;
        slow = world.anyOf(List.of(0.02, 0.2, 0.5));
    }

    /** @param load whether the gateway limits the time of the command */
    Fault next(boolean load) {
        if (!world.chance(rate)) {
            return Fault.NONE;
        }
        injected++;
        Fault[] all = Fault.values();
        return all[1 + world.below(load ? all.length - 1 : all.length - 2)];
    }

    boolean refusesOpen() {
        boolean refused = world.chance(rate);
        injected += refused ? 1 : 0;
        return refused;
    }

    /** Returns the time that bytes take between gateway and store. */
    long travel() {
        return world.chance(slow) ? world.micros(1_000, world.chance(0.2) ? 300_000 : 40_000) : world.micros(30, 1_500);
    }
}
