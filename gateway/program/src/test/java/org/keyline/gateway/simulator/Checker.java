package org.keyline.gateway.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.ModelStore.Grant;
import org.keyline.gateway.simulator.ModelStore.Version;
import org.keyline.gateway.simulator.ModelTable.RowKey;
import org.keyline.gateway.simulator.Operation.End;
import org.keyline.gateway.simulator.Operation.Reading;

/**
 * Judges a complete history. The store has recorded every version of every row, so each answer can
 * be judged by itself.
 *
 * <p>A version that was written through the gateway is <em>fenced</em>. The exception is a version
 * that the store accepted only after the gateway knew that the connection was lost; it counts as
 * written past the gateway. A read may answer a version if two conditions hold. The store had the
 * version before the read ended. And no later version was obligatory for the read. Obligatory
 * versions are: fenced ones whose client had its reply before the read began; fenced ones that an
 * earlier read had seen, itself or through a successor; and any that existed for longer than a ttl
 * before the read began. Rows of one line are of one moment; rows of several lines are so as far as
 * fenced versions go. Reads of sessions that see uncommitted rows are not judged. Reads of other
 * sessions are, whichever reply contains their rows. A read by conditions on values shows a version
 * that does not meet them by leaving its row out.
 *
 * <p>If several gateways share a tier, fences are those of the reader's own gateway. A version that
 * another gateway has acknowledged is obligatory for reads that begin later by more than the
 * staleness. Changes of rights through another gateway count as made past the gateway.
 */
final class Checker {
    private final ModelStore store;
    private final long ttlNanos;
    private final long privilegeNanos;
    private final long stalenessNanos;
    private final int trustedAfter;

    /**
     * @param stalenessNanos for how long reads may miss a write that another gateway has
     *     acknowledged; 0 for no time at all
     * @param trustedAfter the number of similar transactions that must finish before one is trusted
     */
    Checker(ModelStore store, long ttlNanos, long privilegeNanos, long stalenessNanos, int trustedAfter) {
        this.trustedAfter = trustedAfter;
        this.store = store;
        this.ttlNanos = ttlNanos;
        this.privilegeNanos = privilegeNanos;
        this.stalenessNanos = stalenessNanos;
    }

    void check(List<Operation> operations) {
        List<Operation> reads = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation.end == null) {
                throw new Violation("never answered: " + operation);
            }
            if (operation.reading != null && operation.end == End.ROWS) {
                if (!operation.elsewhere) {
                    reads.add(operation);
                } else if (operation.stored == null || !operation.rows.isEmpty()) {
                    throw new Violation("answered for another schema or catalog: " + operation);
                }
            }
        }
        for (Operation read : reads) {
            origin(read);
            if (read.uncommitted) {
                authority(read);
            } else if (!read.inTransaction || (!read.repeatable && read.stored == null)) {
                authority(read);
                freshness(read, reads);
                moment(List.of(read));
            }
        }
        snapshots(reads);
        trust(operations);
        for (Operation operation : operations) {
            boolean writes = operation.sql.startsWith("INSERT") || operation.sql.startsWith("REPLACE");
            if (writes && !operation.inTransaction && !operation.elsewhere) {
                inserted(operation);
            }
        }
    }

    /** Acknowledged rows exist, no row exists twice, and the replies to an INSERT are true. */
    private void inserted(Operation insert) {
        ModelStatement statement = ModelStatement.of(insert.sql, List.of());
        Map.Entry<RowKey, Long> row = statement.isNumbered()
                ? numbered(statement)
                : statement.rows().entrySet().iterator().next();
        List<Version> versions = store.versions(row.getKey());
        List<Version> made = versions.stream()
                .filter(version -> row.getValue().equals(version.value()))
                .toList();
        boolean told = insert.end == End.OK;
        if (made.size() > 1) {
            throw new Violation("written twice: " + insert + "; " + describe(versions));
        }
        if (told && made.isEmpty()) {
            throw new Violation("acknowledged, and not there: " + insert + "; " + describe(versions));
        }
        if (told && (made.get(0).step() < insert.beganStep || made.get(0).step() > insert.endedStep)) {
            throw new Violation("not written when it was acknowledged: " + insert + "; " + describe(versions));
        }
        if (insert.sql.startsWith("INSERT")
                && told
                && (insert.affected != 1 || insert.warnings != (store.warnsOf(row.getValue()) ? 1 : 0))) {
            throw new Violation("told of " + insert.affected + " rows and " + insert.warnings + " warnings: " + insert);
        }
        if (insert.end == End.ERROR && !made.isEmpty()) {
            throw new Violation("refused, and there: " + insert + "; " + describe(versions));
        }
        if (insert.errorCode == ModelStore.ER_DUP_ENTRY && !statement.isNumbered() && !wasThere(versions, insert)) {
            throw new Violation("refused for a row that was not there: " + insert + "; " + describe(versions));
        }
    }

    /**
     * Returns the row that an INSERT with a generated key has added; any row if it has added none.
     */
    private Map.Entry<RowKey, Long> numbered(ModelStatement insert) {
        Long value = insert.values().get(insert.values().size() - 1);
        List<RowKey> keys = insert.ofTable().keys();
        RowKey added = keys.stream()
                .filter(key -> store.versions(key).stream().anyMatch(version -> value.equals(version.value())))
                .findFirst()
                .orElse(keys.get(0));
        return Map.entry(added, value);
    }

    /** Returns whether a row existed at some time of an operation. */
    private static boolean wasThere(List<Version> versions, Operation during) {
        for (int i = 0; i < versions.size(); i++) {
            boolean lasts = i + 1 == versions.size() || versions.get(i + 1).step() >= during.beganStep;
            if (versions.get(i).value() != null && versions.get(i).step() <= during.endedStep && lasts) {
                return true;
            }
        }
        return false;
    }

    /**
     * All reads of a transaction with a snapshot are of one moment, not before its first read
     * began.
     */
    private void snapshots(List<Operation> reads) {
        Map<String, List<Operation>> transactions = new LinkedHashMap<>();
        for (Operation read : reads) {
            if (read.inTransaction
                    && read.repeatable
                    && Collections.disjoint(reading(read).wanted(), read.written)) {
                transactions
                        .computeIfAbsent(read.connection + "/" + read.transaction, at -> new ArrayList<>())
                        .add(read);
            }
        }
        for (List<Operation> transaction : transactions.values()) {
            Operation first = transaction.get(0);
            transaction.stream().filter(read -> read.stored == null).forEach(read -> freshness(read, first, reads));
            moment(transaction);
        }
    }

    // ---------------------------------------------------------------- trust

    /**
     * A transaction that BEGIN opened.
     *
     * @param first its first read
     * @param plain whether nothing came between BEGIN and the read, and no procedure ran before,
     *     which may change the user or schema
     * @param next the first command after the reads; null if its connection ended
     */
    private record Begun(
            Operation first, boolean plain, @Nullable Operation next) {
        boolean isLike(Begun other) {
            return first.gateway == other.first.gateway
                    && first.user.equals(other.first.user)
                    && first.withRole == other.first.withRole
                    && reading(first).shape().equals(reading(other.first).shape());
        }

        /**
         * Returns whether it certainly ran, in one transaction with a snapshot, a statement that no
         * line can answer.
         */
        boolean wentOn() {
            return isPlain()
                    && next != null
                    && next.end == End.OK
                    && next.transaction == first.transaction
                    && next.inTransaction
                    && (next.sql.startsWith("UPDATE")
                            || next.sql.startsWith("INSERT")
                            || next.sql.startsWith("REPLACE")
                            || next.sql.startsWith("DELETE"));
        }

        long endedStep() {
            return Objects.requireNonNull(next).endedStep;
        }

        /**
         * Returns whether it may have ended between two steps, by a command or with its connection.
         */
        boolean mayHaveEnded(long from, long to) {
            return next == null ? first.beganStep < to : next.beganStep < to && next.endedStep > from;
        }

        boolean isPlain() {
            return plain
                    && first.end == End.ROWS
                    && first.inTransaction
                    && first.repeatable
                    && !first.locking
                    && !first.uncommitted
                    && !first.elsewhere;
        }
    }

    /**
     * Lines answer the first read of a transaction with a snapshot only if enough similar ones have
     * finished since the last that continued: twice as many for each that continued although lines
     * had answered it. A transaction that may have finished counts as finished, and only one that
     * certainly continued counts as continued. Of those that lines answered at the same time, one
     * counts.
     */
    private void trust(List<Operation> operations) {
        List<Begun> all = begun(operations);
        for (Begun answered : all) {
            if (!answered.isPlain() || answered.first.stored != null) {
                continue;
            }
            List<Begun> alike = all.stream().filter(answered::isLike).toList();
            List<Begun> others = alike.stream()
                    .filter(other -> other.wentOn() && other.next != null && other.next.endedBefore(answered.first))
                    .toList();
            long last = others.stream()
                    .mapToLong(other -> other.first.beganStep)
                    .max()
                    .orElse(0);
            long finished = alike.stream()
                    .filter(other -> !other.wentOn() && other.mayHaveEnded(last, answered.first.endedStep))
                    .count();
            int mistakes = mistakes(others);
            if (finished < (long) trustedAfter << Math.min(mistakes, 16)) {
                throw new Violation("not trusted, since " + finished + " finished behind " + others.size()
                        + " that went on, " + mistakes + " of them trusted, but answered from a line: "
                        + answered.first);
            }
        }
    }

    /**
     * Returns the maximum number of transactions with hits of which each ended before the next
     * began.
     */
    private static int mistakes(List<Begun> wentOn) {
        int mistakes = 0;
        long ended = -1;
        List<Begun> byEnd = wentOn.stream()
                .filter(other -> other.first.stored == null)
                .sorted(Comparator.comparingLong(Begun::endedStep))
                .toList();
        for (Begun other : byEnd) {
            if (other.first.beganStep > ended) {
                mistakes++;
                ended = other.endedStep();
            }
        }
        return mistakes;
    }

    private static List<Begun> begun(List<Operation> operations) {
        Map<Integer, List<Operation>> connections = new LinkedHashMap<>();
        for (Operation operation : operations) {
            connections
                    .computeIfAbsent(operation.connection, at -> new ArrayList<>())
                    .add(operation);
        }
        List<Begun> all = new ArrayList<>();
        for (List<Operation> commands : connections.values()) {
            for (int i = 0; i < commands.size(); i++) {
                if (!commands.get(i).sql.equals("BEGIN")) {
                    continue;
                }
                int first = i + 1;
                while (first < commands.size()
                        && commands.get(first).reading == null
                        && !commands.get(first).sql.equals("BEGIN")) {
                    first++;
                }
                if (first < commands.size() && commands.get(first).reading != null) {
                    int next = first + 1;
                    while (next < commands.size() && isRead(commands.get(next))) {
                        next++;
                    }
                    boolean plain = first == i + 1
                            && commands.get(i).end == End.OK
                            && commands.subList(0, i).stream().noneMatch(before -> before.sql.startsWith("CALL"));
                    all.add(new Begun(commands.get(first), plain, next < commands.size() ? commands.get(next) : null));
                }
            }
        }
        return all;
    }

    private static boolean isRead(Operation operation) {
        return operation.reading != null || operation.sql.startsWith("KEYLINE") || operation.sql.startsWith("PREPARE");
    }

    private static Reading reading(Operation read) {
        return Objects.requireNonNull(read.reading);
    }

    /**
     * The client gets the store's answer. The store answers reads of rows that the transaction has
     * written, and locking reads.
     */
    private static void origin(Operation read) {
        boolean own = reading(read).wanted().stream().anyMatch(read.written::contains);
        if (read.stored == null && read.inTransaction && (own || read.locking)) {
            throw new Violation("answered from a line, which the transaction's own is not in: " + read);
        }
        if (read.stored != null && !read.stored.equals(read.rows)) {
            throw new Violation("not what the store answered, " + read.stored + ": " + read);
        }
    }

    // ---------------------------------------------------------------- authority

    private void authority(Operation read) {
        if (read.withRole) {
            return;
        }
        List<Grant> grants =
                store.grants(read.user, reading(read).wanted().get(0).table());
        long revokedStep = -2;
        for (Grant grant : grants) {
            Operation by = grant.by();
            if (!grant.given()
                    && by != null
                    && by.gateway == read.gateway
                    && by.end == End.OK
                    && by.endedBefore(read)) {
                revokedStep = grant.step();
            }
        }
        for (int i = 0; i < grants.size(); i++) {
            Grant grant = grants.get(i);
            Grant next = i + 1 < grants.size() ? grants.get(i + 1) : null;
            boolean begun = grant.step() <= read.endedStep;
            boolean lasts =
                    next == null || (next.step() > revokedStep && next.nanos() >= read.beganNanos - privilegeNanos);
            if (grant.given() && begun && lasts) {
                return;
            }
        }
        throw new Violation("answered after the right was revoked: " + read);
    }

    // ---------------------------------------------------------------- freshness

    private void freshness(Operation read, List<Operation> reads) {
        freshness(read, read, reads);
    }

    /** Checks that a read shows at least the state at which another one began. */
    private void freshness(Operation read, Operation since, List<Operation> reads) {
        for (RowKey key : reading(read).wanted()) {
            List<Version> versions = store.versions(key);
            int least = least(since, key, reads);
            if (versionsRead(read, key).stream().noneMatch(version -> version >= least)) {
                throw new Violation("row " + key + " should be " + versions.get(least) + " or later: " + read + "; "
                        + describe(versions));
            }
        }
    }

    /** Returns the versions of a row that an answer may show: by value, and not from the future. */
    private List<Integer> versionsRead(Operation read, RowKey key) {
        return versionsRead(read, key, read.endedStep);
    }

    /**
     * Returns such versions up to a step: the store's snapshot may be later than the transaction's
     * first answers, such as "no row".
     */
    private List<Integer> versionsRead(Operation read, RowKey key, long upTo) {
        List<Version> versions = store.versions(key);
        List<Integer> shown = new ArrayList<>();
        for (int i = 0; i < versions.size(); i++) {
            Version version = versions.get(i);
            if (version.step() <= upTo && Objects.equals(reading(read).shown(version.value()), read.rows.get(key))) {
                shown.add(i);
            }
        }
        if (shown.isEmpty()) {
            throw new Violation(
                    "row " + key + " was never " + read.rows.get(key) + ": " + read + "; " + describe(versions));
        }
        return shown;
    }

    /** Returns the oldest version of a row that a read may answer. */
    private int least(Operation read, RowKey key, List<Operation> reads) {
        List<Version> versions = store.versions(key);
        int least = 0;
        for (int i = versions.size() - 1; i > 0; i--) {
            Version version = versions.get(i);
            Operation by = version.by();
            boolean old = version.nanos() + ttlNanos < read.beganNanos;
            if (old
                    || (by != null
                            && isFenced(version, read.gateway)
                            && by.endedBefore(read)
                            && version.step() <= read.beganStep)
                    || isTold(version, read)) {
                least = i;
                break;
            }
        }
        for (Operation earlier : reads) {
            if (earlier.endedBefore(read)
                    && earlier.gateway == read.gateway
                    && !earlier.inTransaction
                    && !earlier.uncommitted
                    && reading(earlier).wanted().contains(key)) {
                least = Math.max(
                        least, fencedUpTo(versions, versionsRead(earlier, key).get(0), read.gateway));
            }
        }
        return least;
    }

    private static int fencedUpTo(List<Version> versions, int seen, int gateway) {
        int last = seen;
        while (last > 0 && !isFenced(versions.get(last), gateway)) {
            last--;
        }
        return last;
    }

    private static boolean isFenced(Version version, int gateway) {
        Operation by = version.by();
        return by != null && by.gateway == gateway && version.step() < by.lostStep;
    }

    /**
     * Returns whether another gateway acknowledged the version so long before a read that the
     * reader's gateway must know it.
     */
    private boolean isTold(Version version, Operation read) {
        Operation by = version.by();
        return by != null
                && by.gateway != read.gateway
                && by.isAcknowledged()
                && isFenced(version, by.gateway)
                && by.endedBefore(read)
                && (stalenessNanos == 0 || by.endedNanos + stalenessNanos < read.beganNanos);
    }

    // ---------------------------------------------------------------- one moment

    /** Checks that all rows of some reads may have existed at one moment. */
    private void moment(List<Operation> together) {
        long upTo = together.stream().mapToLong(read -> read.endedStep).max().orElseThrow();
        boolean strict = together.stream().allMatch(read -> reading(read).lines() == 1 || read.stored != null);
        for (Operation read : together) {
            for (RowKey key : reading(read).wanted()) {
                for (int version : versionsRead(read, key, upTo)) {
                    long moment = store.versions(key).get(version).step();
                    if (together.stream().allMatch(other -> showsAt(other, moment, upTo, strict))) {
                        return;
                    }
                }
            }
        }
        throw new Violation("rows of different moments: " + together + "; "
                + together.stream()
                        .flatMap(read -> reading(read).wanted().stream())
                        .distinct()
                        .map(key -> key + " " + describe(store.versions(key)))
                        .toList());
    }

    private boolean showsAt(Operation read, long moment, long upTo, boolean strict) {
        return reading(read).wanted().stream().allMatch(key -> showsAt(read, key, moment, upTo, strict));
    }

    /** Returns whether the answer for a row may have been true at a moment. */
    private boolean showsAt(Operation read, RowKey key, long moment, long upTo, boolean strict) {
        List<Version> versions = store.versions(key);
        return versionsRead(read, key, upTo).stream()
                .anyMatch(version -> versions.get(version).step() <= moment
                        && moment < until(versions, version, strict, read.gateway));
    }

    private static long until(List<Version> versions, int version, boolean strict, int gateway) {
        for (int i = version + 1; i < versions.size(); i++) {
            if (strict || isFenced(versions.get(i), gateway)) {
                return versions.get(i).step();
            }
        }
        return Operation.NEVER;
    }

    private static String describe(@Nullable List<Version> versions) {
        return "versions " + versions;
    }
}
