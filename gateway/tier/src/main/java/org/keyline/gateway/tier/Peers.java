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
 * The message protocol between this gateway and the others, with the rules of {@code docs/tier.md}.
 * Determines how fresh this gateway's lines are, and which values (lines in the tier) are too old.
 * The transport can lose, repeat and reorder entries. Thread-safe.
 */
final class Peers {
    /** Receives drops, and after a lost entry a drop of everything. Must not block. */
    interface Listener {
        void drop(Drop drop);

        /** Called when all remaining lines are as fresh as if loaded at this time. */
        void freshUpTo(long asOfNanos);
    }

    /**
     * How much this gateway remembers. Both numbers are powers of two.
     *
     * @param numbers the number of sent entries whose sending time is remembered. If a gateway
     * sends this many entries within the longest ttl, it refuses usable values
     * @param buckets the number of row buckets, and of table buckets. The fewer there are, the more
     * values of other rows a write excludes
     */
    record Sizes(int numbers, int buckets) {}

    /**
     * @param lastMessageNanos the time of the member's last new message; empty if it sent none
     * @param freshUpToNanos the time up to which this gateway has received the member's writes;
     * empty if unknown
     */
    record Member(String name, OptionalLong lastMessageNanos, OptionalLong freshUpToNanos) {}

    private static final Drop EVERYTHING = new Drop.Everything();

    private static final class Peer {
        long process;
        /** The number of the last received entry; 0 if none was received. */
        long number;

        long lastMessageNanos;
        boolean isFresh;
        long asOfNanos;
        /** The last number of this gateway that the other gateway has received. */
        long echoed;
    }

    /** The times when this process assigned its last numbers. Guarded by the enclosing object. */
    private static final class SentNumbers {
        private final long[] nanos;
        private long last;

        /** @param remembered how many numbers to remember; a power of two */
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
    /** This process, and all processes from which it ever received an entry. */
    private final Set<Long> processes = new HashSet<>();

    private long receivedEntries;
    private long gaps;

    /**
     * @param others the configured names of all other gateways. A gateway of another name is added
     * when its first message arrives
     * @param process the random number that identifies this process
     * @param clock the ticker that measures the age of lines
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
     * Creates the next entry of this gateway.
     *
     * @param pending returns and removes the drops of all unsent writes; without drops the entry is
     * a heartbeat. The drop of an acknowledged write must be among them, or in an earlier entry
     */
    synchronized PeerEntry next(Supplier<List<Drop>> pending) {
        // The order matters: "seen" is recorded first, and then the drops are taken. So the entry
        // has the drops of all writes that were acknowledged before "seen" was recorded.
        VersionVector seen = seen();
        List<Drop> drops = pending.get();
        return new PeerEntry(name, process, sent.take(clock.getAsLong()), seen, drops);
    }

    /**
     * Records a write that has completed at the store, so that older values of the tier are
     * refused. Must be called before the fence opens. The drop must be in an entry, or pending for
     * the next one, before the client receives the reply.
     */
    void wrote(Drop drop) {
        floors.raise(drop, clock.getAsLong());
    }

    /** Returns each process's last known entry number. A load records these when it begins. */
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

    /** Receives an entry. An entry of this process itself has no effect. */
    synchronized void receive(PeerEntry entry) {
        if (entry.process() == process) {
            return;
        }
        // If another gateway uses this gateway's name, because of a wrong configuration, it counts
        // as a separate gateway.
        Peer peer = peers.computeIfAbsent(entry.member(), member -> new Peer());
        boolean same = peer.number != 0 && peer.process == entry.process();
        if (same && entry.number() <= peer.number) {
            return;
        }
        receivedEntries++;
        if (!same || entry.number() != peer.number + 1) {
            gaps++;
            drop(EVERYTHING);
        }
        entry.drops().forEach(this::drop);
        peer.process = entry.process();
        peer.number = entry.number();
        peer.lastMessageNanos = clock.getAsLong();
        processes.add(entry.process());
        // If only the sender has received entries of a third gateway, this gateway lacks writes.
        // The entry then does not extend freshness.
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

    /** Returns the time up to which all other gateways' writes have arrived; empty if unknown. */
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

    /** Returns this process's last number that all other gateways received; 0 if there is none. */
    synchronized long echoed() {
        return peers.values().stream().mapToLong(peer -> peer.echoed).min().orElse(sent.last());
    }

    /** Returns the members in the order of their names. */
    synchronized List<Member> members() {
        return peers.entrySet().stream()
                .map(peer -> new Member(
                        peer.getKey(),
                        peer.getValue().number == 0
                                ? OptionalLong.empty()
                                : OptionalLong.of(peer.getValue().lastMessageNanos),
                        peer.getValue().isFresh ? OptionalLong.of(peer.getValue().asOfNanos) : OptionalLong.empty()))
                .toList();
    }

    synchronized long sent() {
        return sent.last();
    }

    /** Returns how many entries other gateways sent, without repeated and late ones. */
    synchronized long receivedEntries() {
        return receivedEntries;
    }

    /** Returns how often an entry's number was missing; each time, all lines were dropped. */
    synchronized long gaps() {
        return gaps;
    }

    /**
     * Returns the earliest time, by this gateway's clock, at which a load at any gateway may have
     * begun; empty if unknown.
     *
     * @param noted the numbers that were recorded when the load began
     */
    synchronized OptionalLong beganNanos(VersionVector noted) {
        long number = noted.of(process);
        return sent.remembers(number) ? OptionalLong.of(sent.nanosOf(number)) : OptionalLong.empty();
    }

    /** Returns whether the load began after all known writes to the rows. */
    boolean mayUse(TableName table, byte[] key, long beganNanos) {
        return !floors.isBelow(table, key, beganNanos);
    }

    private void drop(Drop drop) {
        // The order matters: a load that begins after the drop must not use old rows of the tier.
        floors.raise(drop, clock.getAsLong());
        listener.drop(drop);
    }
}
