package org.keyline.gateway.tier;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.keyline.planner.TableName;

/**
 * The messages between this gateway and the others: the moment up to which they make its lines
 * fresh, and which values of the tier are too old. The rules are in {@code docs/tier.md}; the
 * transport may lose, repeat and reorder entries. Thread-safe.
 */
final class Peers {
    /**
     * Drops lines for received or lost entries. Called under the lock of the peers, so it must not
     * block.
     */
    interface Listener {
        void drop(Drop drop);

        /** Extends freshness: the remaining lines are as good as if loaded then. */
        void freshUpTo(long asOfNanos);
    }

    /**
     * Sizes of memory; powers of two.
     *
     * @param numbers remembered numbers of this process: as many as it takes within the longest
     *     ttl, or young values of the tier are refused
     * @param buckets of rows, and of tables: the fewer, the more unwritten values are refused
     */
    record Sizes(int numbers, int buckets) {}

    /**
     * The state of another gateway.
     *
     * @param heardNanos time of its last new message; empty: never
     * @param freshUpToNanos freshness watermark: up to when it has sent its writes; empty: unknown
     */
    record Member(String name, OptionalLong heardNanos, OptionalLong freshUpToNanos) {}

    private static final Drop EVERYTHING = new Drop.Everything();

    /** The received state of another gateway. */
    private static final class Peer {
        long process;
        /** 0: nothing was received yet. */
        long number;

        long heardNanos;
        boolean isFresh;
        long asOfNanos;
        /** The last number of this gateway that it has received. */
        long echoed;
    }

    /** The times of this process's last numbers, by its own clock. Confined to its lock. */
    private static final class SentNumbers {
        private final long[] nanos;
        private long last;

        /** @param remembered how many of the last ones; a power of two */
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

        /** Returns the last number; 0: none. */
        long last() {
            return last;
        }

        /** Returns whether the time of a number is known. */
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
    private long heardEntries;
    private long gaps;

    /**
     * @param others the names of all other gateways; any other one counts from its first message on
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
        for (String other : others) {
            if (!other.equals(name)) {
                peers.put(other, new Peer());
            }
        }
    }

    /**
     * Creates the next entry of this gateway for the others.
     *
     * @param pending takes the drops of all unsent writes; without any the entry is a heartbeat.
     *     The drop of an acknowledged write must be among them, or have been taken before
     */
    synchronized PeerEntry next(Supplier<List<Drop>> pending) {
        // In this order: the entry must have all writes that were acknowledged before {@code heard}
        // is recorded.
        VersionVector seen = seen();
        List<Drop> drops = pending.get();
        return new PeerEntry(name, process, sent.take(clock.getAsLong()), seen, drops);
    }

    /**
     * Records a write through this gateway that has ended at the store: older values of the tier
     * are not used any more. To be called before its fence opens, and its entry must be taken
     * before its client receives the reply.
     */
    void wrote(Drop drop) {
        floors.raise(drop, clock.getAsLong());
    }

    /**
     * Returns the numbers received so far: to be recorded at the beginning of a load whose rows go
     * into the tier.
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

    /** Receives an entry; one's own entries change nothing. */
    synchronized void receive(PeerEntry entry) {
        if (entry.process() == process) {
            return;
        }
        if (entry.member().equals(name)
                && !peers.containsKey(name)
                && entry.seen().of(process) == 0) {
            // This gateway before its restart, which extends no freshness any more.
            entry.drops().forEach(this::drop);
            return;
        }
        // Another process with this gateway's name that receives this one's entries has the name by
        // mistake: it counts as another gateway.
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
        long echoed = entry.seen().of(process);
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
     * Returns the moment up to which all others have sent their writes; empty while one of them has
     * not, or there is none.
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
     * Returns the last number of this gateway that all others have received; 0 while one of them
     * has received none.
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

    /** Returns how many entries were sent. */
    synchronized long sent() {
        return sent.last();
    }

    /** Returns how many new entries of others were received. */
    synchronized long heardEntries() {
        return heardEntries;
    }

    /**
     * Returns how often an entry was not the next one of its process, so that everything was
     * dropped.
     */
    synchronized long gaps() {
        return gaps;
    }

    /**
     * Returns the earliest time when a load with this record began, by this gateway's clock; empty
     * if unknown.
     */
    synchronized OptionalLong beganNanos(VersionVector noted) {
        long number = noted.of(process);
        return sent.remembers(number) ? OptionalLong.of(sent.nanosOf(number)) : OptionalLong.empty();
    }

    /**
     * Returns whether rows of the tier that were loaded then may be used: not if they may be from
     * before a write that is known here. Freshness is checked elsewhere.
     */
    boolean mayUse(TableName table, byte[] key, long beganNanos) {
        return !floors.isBelow(table, key, beganNanos);
    }

    private void drop(Drop drop) {
        // In this order: a check in between refuses.
        floors.raise(drop, clock.getAsLong());
        listener.drop(drop);
    }
}
