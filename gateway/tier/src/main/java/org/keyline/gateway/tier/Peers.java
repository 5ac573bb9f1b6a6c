package org.keyline.gateway.tier;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.keyline.planner.TableName;

/**
 * The protocol state between this gateway and the others. It determines how fresh this gateway's
 * lines are, and which values of the tier are too old. {@code docs/tier.md} has the rules. The
 * transport may lose, repeat and reorder entries. Thread-safe.
 */
final class Peers {
    /**
     * Receives drops from entries, or for lost entries. Called while {@link Peers} is locked, so it
     * must not block.
     */
    interface Listener {
        void drop(Drop drop);

        /** Reports that all remaining lines are as fresh as if loaded at this time. */
        void freshUpTo(long asOfNanos);
    }

    /**
     * Sizes of memory; powers of two.
     *
     * @param numbers how many numbers of this process are remembered; if these cover less than the
     *     longest ttl, young values of the tier are refused
     * @param buckets the number of buckets of rows, and of tables; fewer buckets refuse more values
     *     without a write
     */
    record Sizes(int numbers, int buckets) {}

    /**
     * The state of another gateway.
     *
     * @param heardNanos the time of its last new message; empty if it sent none
     * @param freshUpToNanos its freshness watermark: the time up to which this gateway has received
     *     its writes; empty if unknown
     */
    record Member(String name, OptionalLong heardNanos, OptionalLong freshUpToNanos) {}

    private static final Drop EVERYTHING = new Drop.Everything();

    /** The state received from another gateway. */
    private static final class Peer {
        long process;
        /** The last received number; 0 if no entry was received. */
        long number;

        long heardNanos;
        boolean isFresh;
        long asOfNanos;
        /** The last number of this gateway that the other gateway has received. */
        long echoed;
    }

    /**
     * The times of the last numbers of this process, by its own clock. Guarded by the enclosing
     * object.
     */
    private static final class SentNumbers {
        private final long[] nanos;
        private long last;

        /** @param remembered the number of numbers to remember; a power of two */
        SentNumbers(int remembered) {
            if (Integer.bitCount(remembered) != 1) {
                throw new IllegalArgumentException("remembered: " + remembered + " (expected: a power of two)");
            }
            nanos = new long[remembered];
        }

        long take(long nowNanos) {
            last++;
            nanos[(int) (last & (nanos.length - 1))] = nowNanos;
            return last;
        }

        /** Returns the last number; 0 if no entry was sent. */
        long last() {
            return last;
        }

        /** Returns whether the time at which a number was assigned is known. */
        boolean remembers(long number) {
            return number > 0 && number <= last && last - number < nanos.length;
        }

        long nanosOf(long number) {
            if (!remembers(number)) {
                throw new IllegalArgumentException(
                        "number: " + number + " (expected: one of the last " + nanos.length + " up to " + last + ")");
            }
            return nanos[(int) (number & (nanos.length - 1))];
        }
    }

    private final String name;
    private final long process;
    private final LongSupplier clock;
    private final Listener listener;
    private final Floors floors;

    // Guarded by this.
    private final SentNumbers sent;
    private final Map<String, Peer> peers = new TreeMap<>();
    /** This process, and all processes that have sent an entry, including those that have ended. */
    private final Set<Long> processes = new HashSet<>();

    private long heardEntries;
    private long gaps;

    /**
     * @param others the names of all other gateways; an unknown gateway is added with its first
     *     message
     * @param process random
     * @param clock the ticker of the lines
     */
    Peers(String name, Set<String> others, long process, Sizes sizes, LongSupplier clock, Listener listener) {
        this.name = name;
        this.process = process;
        this.clock = clock;
        this.listener = listener;
        this.floors = new Floors(clock.getAsLong(), sizes.buckets());
        this.sent = new SentNumbers(sizes.numbers());
        processes.add(process);
        for (String other : others) {
            if (!other.equals(name)) {
                peers.put(other, new Peer());
            }
        }
    }

    /**
     * Creates the next entry of this gateway for the others.
     *
     * @param pending takes the drops of all unsent writes; without drops the entry is a heartbeat.
     *     The drop of an acknowledged write must be among them, or in an earlier entry
     */
    synchronized PeerEntry next(Supplier<List<Drop>> pending) {
        // The order matters: the entry must have all writes acknowledged before {@code seen} is
        // recorded.
        VersionVector seen = seen();
        List<Drop> drops = pending.get();
        return new PeerEntry(name, process, sent.take(clock.getAsLong()), seen, drops);
    }

    /**
     * Records a write through this gateway that has completed at the store, so that older values of
     * the tier are refused. Must be called before the fence opens. The entry must be taken before
     * the client receives the reply.
     */
    void wrote(Drop drop) {
        floors.raise(drop, clock.getAsLong());
    }

    /**
     * Returns the numbers received so far. They must be recorded at the beginning of each load
     * whose rows go into the tier.
     */
    synchronized VersionVector seen() {
        Map<Long, Long> numbers = new HashMap<>();
        peers.values().forEach(peer -> {
            if (peer.number != 0) {
                numbers.put(peer.process, peer.number);
            }
        });
        if (sent.last() != 0) {
            numbers.put(process, sent.last());
        }
        return new VersionVector(numbers);
    }

    /** Receives an entry. An entry of this process has no effect. */
    synchronized void receive(PeerEntry entry) {
        if (entry.process() == process) {
            return;
        }
        // Another gateway with a wrong configuration uses this gateway's name. It counts as a
        // separate gateway.
        Peer peer = peers.computeIfAbsent(entry.member(), member -> new Peer());
        boolean same = peer.number != 0 && peer.process == entry.process();
        if (same && entry.number() <= peer.number) {
            return;
        }
        heardEntries++;
        if (!same || entry.number() != peer.number + 1) {
            gaps++;
            drop(EVERYTHING);
        }
        entry.drops().forEach(this::drop);
        peer.process = entry.process();
        peer.number = entry.number();
        peer.heardNanos = clock.getAsLong();
        processes.add(entry.process());
        // If the sender has received entries of a gateway from which this gateway has received
        // none, this gateway lacks the writes of that gateway.
        boolean knowsAll = processes.containsAll(entry.seen().numbers().keySet());
        long echoed = knowsAll ? entry.seen().of(process) : 0;
        peer.echoed = echoed;
        if (sent.remembers(echoed)) {
            long asOf = sent.nanosOf(echoed);
            if (!peer.isFresh || asOf - peer.asOfNanos > 0) {
                peer.isFresh = true;
                peer.asOfNanos = asOf;
            }
        }
        OptionalLong freshUpTo = freshUpToNanos();
        if (freshUpTo.isPresent()) {
            listener.freshUpTo(freshUpTo.getAsLong());
        }
    }

    /**
     * Returns the time up to which this gateway has received the writes of all others. Empty if it
     * is unknown for one of them, or if no other gateway exists.
     */
    synchronized OptionalLong freshUpToNanos() {
        Long oldest = null;
        for (Peer peer : peers.values()) {
            if (!peer.isFresh) {
                return OptionalLong.empty();
            }
            oldest = oldest == null || peer.asOfNanos - oldest < 0 ? Long.valueOf(peer.asOfNanos) : oldest;
        }
        return oldest == null ? OptionalLong.empty() : OptionalLong.of(oldest);
    }

    /**
     * Returns the last number of this gateway that all others have received; 0 if one of them has
     * received none.
     */
    synchronized long echoed() {
        return peers.values().stream().mapToLong(peer -> peer.echoed).min().orElse(sent.last());
    }

    /** Returns all other gateways, by name. */
    synchronized List<Member> members() {
        return peers.entrySet().stream()
                .map(peer -> new Member(
                        peer.getKey(),
                        peer.getValue().number == 0
                                ? OptionalLong.empty()
                                : OptionalLong.of(peer.getValue().heardNanos),
                        peer.getValue().isFresh ? OptionalLong.of(peer.getValue().asOfNanos) : OptionalLong.empty()))
                .toList();
    }

    /** Returns the number of sent entries. */
    synchronized long sent() {
        return sent.last();
    }

    /** Returns the number of new entries from other gateways. */
    synchronized long heardEntries() {
        return heardEntries;
    }

    /**
     * Returns how often an entry did not have the next number of its process, so that everything
     * was dropped.
     */
    synchronized long gaps() {
        return gaps;
    }

    /**
     * Returns the earliest possible start of a load, by this gateway's clock; empty if unknown.
     *
     * @param noted the numbers that were recorded when the load began
     */
    synchronized OptionalLong beganNanos(VersionVector noted) {
        long number = noted.of(process);
        return sent.remembers(number) ? OptionalLong.of(sent.nanosOf(number)) : OptionalLong.empty();
    }

    /**
     * Returns whether rows of the tier may be used: the load must have begun after all known writes
     * to them. Does not check freshness.
     */
    boolean mayUse(TableName table, byte[] key, long beganNanos) {
        return !floors.isBelow(table, key, beganNanos);
    }

    private void drop(Drop drop) {
        // The order matters: a load in between must not use old rows.
        floors.raise(drop, clock.getAsLong());
        listener.drop(drop);
    }
}
