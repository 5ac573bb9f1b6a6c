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
 * What this gateway told the others and heard of them: up to when they vouch for its lines, and which values of the tier are too old. The
 * rules are those of {@code docs/tier.md}; whatever carries the entries may lose, repeat and reorder them. Thread-safe.
 */
final class Peers {
    /** Drops lines, of what was told or could not be told. Called with what guards the peers, so it must not wait for anything. */
    interface Listener {
        void drop(Drop drop);

        /** Lines that are left are as good as if they had been loaded then. */
        void vouched(long asOfNanos);
    }

    /**
     * How much is remembered; powers of two.
     *
     * @param numbers of this process: as many as it takes within the longest ttl, or values of the tier are refused that are young enough
     * @param buckets of rows, and of tables: the fewer, the more values are refused beside those that were written
     */
    record Sizes(int numbers, int buckets) {}

    /**
     * What is known of another gateway.
     *
     * @param heardNanos when something new was heard of it last; empty: never
     * @param vouchedNanos up to when it vouches for having told its writes; empty: it does not
     */
    record Member(String name, OptionalLong heardNanos, OptionalLong vouchedNanos) {}

    private static final Drop EVERYTHING = new Drop.Everything();

    /** What was heard of another gateway. */
    private static final class Peer {
        long process;
        /** 0: nothing was heard of it yet. */
        long number;

        long heardNanos;
        boolean vouches;
        long asOfNanos;
        /** The last number of this gateway that it says it has heard. */
        long echoed;
    }

    /** When this process took its last numbers, by its own clock. Confined to what guards it. */
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

        /** The last that was taken; 0: none. */
        long last() {
            return last;
        }

        /** Whether it is known when a number was taken. */
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
     * @param others the names of all other gateways; one that is not among them counts from when it was heard on
     * @param process at random
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
     * The next entry of this gateway, to be sent to the others.
     *
     * @param pending takes the drops of all writes that nobody was told of; none make a heartbeat. Of a write that is acknowledged the drop
     *     must be among them, or have been taken before
     */
    synchronized PeerEntry next(Supplier<List<Drop>> pending) {
        // In this order: the entry vouches for all writes that were acknowledged before it was noted what is heard.
        Heard heard = heard();
        List<Drop> drops = pending.get();
        return new PeerEntry(name, process, sent.take(clock.getAsLong()), heard, drops);
    }

    /**
     * A write through this gateway has ended at the store: values of the tier from before are not used any more. To be called before its
     * fence opens, and its entry to be taken before its client hears of it.
     */
    void wrote(Drop drop) {
        floors.raise(drop, clock.getAsLong());
    }

    /** What is heard by now: to be noted when a load begins whose rows go into the tier. */
    synchronized Heard heard() {
        Map<Long, Long> numbers = new HashMap<>();
        peers.values().forEach(peer -> {
            if (peer.number != 0) {
                numbers.put(peer.process, peer.number);
            }
        });
        if (sent.last() != 0) {
            numbers.put(process, sent.last());
        }
        return new Heard(numbers);
    }

    /** Takes an entry, one's own included, which says nothing new. */
    synchronized void hear(PeerEntry entry) {
        if (entry.process() == process) {
            return;
        }
        if (entry.member().equals(name)
                && !peers.containsKey(name)
                && entry.heard().of(process) == 0) {
            // This gateway before its start, which vouches for nothing any more.
            entry.drops().forEach(this::drop);
            return;
        }
        // Another process by one's own name that hears this one is a gateway that is not told apart by mistake: it
        // counts as any other.
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
        long echoed = entry.heard().of(process);
        peer.echoed = echoed;
        if (sent.remembers(echoed)) {
            long asOf = sent.nanosOf(echoed);
            if (!peer.vouches || asOf - peer.asOfNanos > 0) {
                peer.vouches = true;
                peer.asOfNanos = asOf;
            }
        }
        OptionalLong vouched = vouchedNanos();
        if (vouched.isPresent()) {
            listener.vouched(vouched.getAsLong());
        }
    }

    /** Up to when all others vouch for having told what they wrote; empty while one of them does not, or there is none. */
    synchronized OptionalLong vouchedNanos() {
        Long oldest = null;
        for (Peer peer : peers.values()) {
            if (!peer.vouches) {
                return OptionalLong.empty();
            }
            oldest = oldest == null || peer.asOfNanos - oldest < 0 ? Long.valueOf(peer.asOfNanos) : oldest;
        }
        return oldest == null ? OptionalLong.empty() : OptionalLong.of(oldest);
    }

    /** The last number of this gateway that all others have heard; 0 while one of them has heard none. */
    synchronized long echoed() {
        return peers.values().stream().mapToLong(peer -> peer.echoed).min().orElse(sent.last());
    }

    /** All other gateways, by name. */
    synchronized List<Member> members() {
        return peers.entrySet().stream()
                .map(peer -> new Member(
                        peer.getKey(),
                        peer.getValue().number == 0
                                ? OptionalLong.empty()
                                : OptionalLong.of(peer.getValue().heardNanos),
                        peer.getValue().vouches ? OptionalLong.of(peer.getValue().asOfNanos) : OptionalLong.empty()))
                .toList();
    }

    /** Entries that were made for others. */
    synchronized long sent() {
        return sent.last();
    }

    /** Entries of others that were heard and were new. */
    synchronized long heardEntries() {
        return heardEntries;
    }

    /** How often an entry was not the next one of its process, so that everything was dropped. */
    synchronized long gaps() {
        return gaps;
    }

    /** When a load that noted this began at the earliest, by this gateway's clock; empty if that is not known. */
    synchronized OptionalLong beganNanos(Heard noted) {
        long number = noted.of(process);
        return sent.remembers(number) ? OptionalLong.of(sent.nanosOf(number)) : OptionalLong.empty();
    }

    /**
     * Whether rows of the tier may be used that were loaded then: not where they may be from before a write that is known here. Whether they
     * are fresh is another question.
     */
    boolean mayUse(TableName table, byte[] key, long beganNanos) {
        return !floors.isBelow(table, key, beganNanos);
    }

    private void drop(Drop drop) {
        // In this order: what is judged in between is refused.
        floors.raise(drop, clock.getAsLong());
        listener.drop(drop);
    }
}
