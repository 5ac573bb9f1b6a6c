package org.keyline.gateway.simulator;

import java.util.List;

/** What goes wrong in a history, by its chances, and how often it did. */
final class Faults {
    /** What becomes of one command on its way to the store and back. */
    enum Fault {
        NONE,
        /** The store answers an error and does nothing. */
        REFUSED,
        /** The connection is lost, the command never arrives. */
        LOST_BEFORE,
        /** The connection is lost, the command arrives: before that is known or after it. */
        LOST_BEHIND,
        /** The command runs, the connection is lost within its reply. */
        LOST_WITHIN,
        /** No reply comes, and no end of the connection either. */
        SILENT
    }

    private final World world;
    private final double rate;
    private final double slow;

    long injected;
    long crashes;

    /** @param rate the share of commands that something happens to */
    Faults(World world, double rate) {
        this.world = world;
        this.rate = rate;
        slow = world.anyOf(List.of(0.02, 0.2, 0.5));
    }

    /** @param load whether somebody watches over the time that the command takes */
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

    /** The time that bytes take between gateway and store. */
    long travel() {
        return world.chance(slow) ? world.micros(1_000, world.chance(0.2) ? 300_000 : 40_000) : world.micros(30, 1_500);
    }
}
