package org.keyline.gateway.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slf4j.LoggerFactory;

/**
 * Each of these bugs is put into the gateway on purpose, and the simulator must find it within the
 * histories of a build. If a bug shows only in histories of one kind, it runs as many of that kind.
 */
@Tag("model")
final class MutantsTest {
    private static final int HISTORIES = Integer.getInteger("keyline.simulator.histories", 3_000);
    /** Only those whose name has this in it. */
    private static final String ONLY = System.getProperty("keyline.simulator.mutant", "");

    /** Fewer than this are left out ahead of a bug that every build finds. */
    private static final int FIRST_HISTORIES = 100;

    private static final Path PAGE = Path.of("../CONTRIBUTING.md");
    private static final String BEGIN = "<!-- mutants -->\n";
    private static final String END = "<!-- end of mutants -->\n";

    private static final String GATEWAY = "org/keyline/gateway/";
    private static final String ROWCACHE = "org/keyline/rowcache/";

    /**
     * A bug, and what the simulator is to say of it, or one of several with {@code |} between them.
     *
     * @param after so many histories are left out: what is rare is looked for near where it was seen
     */
    private record Found(Mutant mutant, String violation, long after) {
        /** One that shows in the first histories. */
        Found(Mutant mutant, String violation) {
            this(mutant, violation, 0);
        }

        /** Returns whether the first histories are left out, since none of them shows it. */
        boolean isLate() {
            return after % History.SHARED_FROM >= FIRST_HISTORIES;
        }

        /** One in so many histories is of the kind that it shows in. */
        int oneOf() {
            if (after % History.ONE_RANGED_OF == History.RANGED) {
                return History.ONE_RANGED_OF;
            }
            if (after % History.ONE_ADDS_OF == History.ADDS) {
                return History.ONE_ADDS_OF;
            }
            if (mutant.name().contains("undone")) {
                return History.ONE_UNDOES_OF * ModelStore.ONE_RESUMES_OF;
            }
            if (mutant.name().contains("catalog")) {
                return ModelStore.ONE_HAS_CATALOGS_OF;
            }
            if (mutant.name().startsWith("numbered")) {
                return History.ONE_NUMBERS_OF;
            }
            if (violation.equals("not trusted")) {
                return History.ONE_LEARNS_OF;
            }
            return after % History.ONE_FILTERS_OF == History.FILTERS ? History.ONE_FILTERS_OF : 1;
        }
    }

    private static final List<Found> MUTANTS = List.of(
            new Found(
                    new Mutant(
                            "fence is opened before the store's reply",
                            "gateway",
                            GATEWAY + "change/Fencing.java",
                            "        return row == null ? null : new Write(table, rows, row);",
                            "        fence.open();\n        return row == null ? null : new Write(table, rows, row);"),
                    "should be|answered from a line"),
            new Found(
                    new Mutant(
                            "fence is opened before COMMIT",
                            "gateway",
                            GATEWAY + "change/Fencing.java",
                            "} else if (!fence.isOpen()) {",
                            "}\n        if (!fence.isOpen()) {"),
                    "should be|answered from a line"),
            // Rare: the store fails a CALL that has begun a transaction, and refuses the question behind it.
            new Found(
                    new Mutant(
                            "a question for the status that is refused tells that no transaction is open",
                            "gateway",
                            GATEWAY + "session/relay/Forwarder.java",
                            "boolean received = reply.summary().hasStatus();",
                            "boolean received = true;"),
                    "should be",
                    History.SHARED_FROM + 101_900),
            new Found(
                    new Mutant(
                            "the catalog of a session is ignored",
                            "gateway",
                            GATEWAY + "session/settings/CurrentCatalog.java",
                            "inOwn = own == null || own.equals(current);",
                            "inOwn = true;"),
                    "another schema or catalog"),
            new Found(
                    new Mutant(
                            "a USE that fails leaves the catalog as it is",
                            "gateway",
                            GATEWAY + "session/settings/SessionSettings.java",
                            "if (catalog.mayChange(kind, sql, from, to)) {",
                            "if (ok && catalog.mayChange(kind, sql, from, to)) {"),
                    "another schema or catalog"),
            new Found(
                    new Mutant(
                            "a prepared statement forgets its catalog",
                            "gateway",
                            GATEWAY + "session/settings/CurrentCatalog.java",
                            "return own == null || (inOwn && (moment.changes == changes || own.equals(moment.name)));",
                            "return inOwn;"),
                    "another schema or catalog"),
            new Found(
                    new Mutant(
                            "a write of a session whose catalog is not known closes nothing",
                            "gateway",
                            GATEWAY + "session/command/StatementForwarder.java",
                            "            fencing.sends(effect, values);",
                            "            if (state.settings().catalog().isOwn()) fencing.sends(effect, values);"),
                    "should be"),
            new Found(
                    new Mutant(
                            "load is published although a write came between",
                            "rowcache",
                            ROWCACHE + "Slots.java",
                            "closed.loads.clear();",
                            ""),
                    "should be"),
            new Found(
                    new Mutant(
                            "expiry is counted from the end of the load",
                            "rowcache",
                            ROWCACHE + "LineTable.java",
                            "new Line(bytes, load.hash(), load.epoch(), load.beganNanos())",
                            "new Line(bytes, load.hash(), load.epoch(), cache.ticker().read())"),
                    "should be",
                    840),
            new Found(
                    new Mutant(
                            "a write does not drop a line without rows",
                            "rowcache",
                            ROWCACHE + "Slots.java",
                            "if ((seen & (1 << kind)) == 0",
                            "if ((seen & (1 << kind)) == 0 || (cache.peek(probe.aim(prefix, kind)) instanceof Line empty && empty.rows() == 0)"),
                    "should be"),
            new Found(
                    new Mutant(
                            "authority is not renewed",
                            "gateway",
                            GATEWAY + "read/Template.java",
                            "return nanos - validUntilNanos < 0;",
                            "return true;"),
                    "after the right was revoked"),
            new Found(
                    new Mutant(
                            "several lines are not validated together",
                            "gateway",
                            GATEWAY + "read/MultiRead.java",
                            "if (all.count() > 1 && !table.stillCurrent(line))",
                            "if (all.count() > Integer.MAX_VALUE - 1)"),
                    "rows of different moments",
                    1_400),
            new Found(
                    new Mutant(
                            "reads of a transaction are of any lines",
                            "gateway",
                            GATEWAY + "session/command/TransactionReads.java",
                            "if (!current.hasSnapshot() || reads == 0) {",
                            "if (reads >= 0) {"),
                    "rows of different moments",
                    480),
            new Found(
                    new Mutant(
                            "what a transaction was answered is not read again at the store",
                            "gateway",
                            GATEWAY + "session/command/TransactionReads.java",
                            "if (reads > 0 && (sets || next.touches() || next.changesReads() || asksAboutThem)) {",
                            "if (reads > MAX_READS) {"),
                    "rows of different moments"),
            new Found(
                    new Mutant(
                            "trust is not taken away",
                            "gateway",
                            GATEWAY + "session/state/TransactionChains.java",
                            "state.updateAndGet(",
                            "new AtomicLong(state.get()).updateAndGet("),
                    "not trusted",
                    13_800),
            new Found(
                    new Mutant(
                            "a chain forgets the read that it ends with",
                            "gateway",
                            GATEWAY + "session/command/TransactionReads.java",
                            "                    text));",
                            "                    \"\"));"),
                    "not trusted"),
            new Found(
                    new Mutant(
                            "another reply than was given is no conflict",
                            "gateway",
                            GATEWAY + "session/command/TransactionReads.java",
                            "if (!check.matches()) {",
                            "if (check == null) {"),
                    "rows of different moments"),
            new Found(
                    new Mutant(
                            "a transaction whose ROLLBACK the store refused is another one",
                            "gateway",
                            GATEWAY + "session/relay/Forwarder.java",
                            "ok || SessionDiagnostics.isSeveral(forwarding.kind()) ? forwarding.kind() : StatementKind.OTHER",
                            "forwarding.kind()"),
                    "rows of different moments",
                    10_000),
            new Found(
                    new Mutant(
                            "a rollback that the store refuses counts as one",
                            "gateway",
                            GATEWAY + "session/relay/Forwarder.java",
                            "ErrPacket failed = reply.summary().error();",
                            "ErrPacket failed = null;"),
                    "rows of different moments",
                    27_500),
            new Found(
                    new Mutant(
                            "a transaction that an error has undone counts as ended",
                            "gateway",
                            GATEWAY + "session/settings/TransactionState.java",
                            "resumes = true;",
                            "resumes = false;"),
                    "when it was acknowledged|not there"),
            new Found(
                    new Mutant(
                            "a transaction with a snapshot at the store goes on with lines",
                            "gateway",
                            GATEWAY + "session/settings/TransactionState.java",
                            "return viewed && hasSnapshot()",
                            "return viewed && !hasSnapshot()"),
                    "rows of different moments"),
            new Found(
                    new Mutant(
                            "reads that lock are answered from lines",
                            "gateway",
                            GATEWAY + "session/settings/TransactionState.java",
                            "case SERIALIZABLE -> alone ? null",
                            "case SERIALIZABLE -> alone || level != null ? null"),
                    "answered from a line"),
            new Found(
                    new Mutant(
                            "a reply is published as a line although a fence was closed meanwhile",
                            "rowcache",
                            ROWCACHE + "Slots.java",
                            "ending.at(attached && table.isCurrent(load.epoch()));",
                            "ending.at(table.isCurrent(load.epoch()));"),
                    "should be"),
            new Found(
                    new Mutant(
                            "the reply to a session that sees what is not committed becomes a line",
                            "gateway",
                            GATEWAY + "session/settings/TransactionState.java",
                            "case READ_UNCOMMITTED -> \"The isolation level READ UNCOMMITTED shows uncommitted changes.\";",
                            "case READ_UNCOMMITTED -> null;"),
                    "was never|should be",
                    220),
            new Found(
                    new Mutant(
                            "roles are no part of who one is",
                            "gateway",
                            GATEWAY + "session/settings/SessionSettings.java",
                            "current + \" as \" + role",
                            "current"),
                    "after the right was revoked",
                    880),
            new Found(
                    new Mutant(
                            "what a statement began that failed is not asked for",
                            "gateway",
                            GATEWAY + "session/relay/Forwarder.java",
                            "boolean unknown = !ok &&",
                            "boolean unknown = false &&"),
                    "should be",
                    780),
            new Found(
                    new Mutant(
                            "who waits for a load is not told that it failed",
                            "rowcache",
                            ROWCACHE + "Slots.java",
                            "notifyWaiters(waiters, waiter -> waiter.listener().failed(cause));",
                            "notifyWaiters(waiters, waiter -> {});"),
                    "never answered|does not come to rest"),
            new Found(
                    new Mutant(
                            "a fence of rows does not reach filter lines",
                            "rowcache",
                            ROWCACHE + "LineTable.java",
                            """
                                private void closeFor(@Nullable AddedRow row) {
                                    if (row == null || added == null) {
                                        close();
                                    } else {
                                        held.incrementAndGet();
                                        added.close(row);
                                        stats.fenceClosed();
                                    }
                                }

                                private void openFor(@Nullable AddedRow row) {
                                    if (row == null || added == null) {
                                        open();
                                    } else {
                            """,
                            """
                                private void closeFor(@Nullable AddedRow row) {
                                    if (row != null && added != null) {
                                        held.incrementAndGet();
                                        added.close(row);
                                        stats.fenceClosed();
                                    }
                                }

                                private void openFor(@Nullable AddedRow row) {
                                    if (row != null && added != null) {
                            """),
                    "should be"),
            new Found(
                    new Mutant(
                            "filter lines go on behind a fence",
                            "rowcache",
                            ROWCACHE + "LineTable.java",
                            "if (recent != null && isCurrent(recent.epoch())) {",
                            "if (recent != null && (id < 0 || isCurrent(recent.epoch()))) {"),
                    "should be",
                    480),
            new Found(
                    new Mutant(
                            "a load of a filter line that began before a fence is kept",
                            "rowcache",
                            ROWCACHE + "Load.java",
                            "return epoch;",
                            "return table.id() < 0 ? table.epoch() : epoch;"),
                    "should be",
                    30_800 + History.FILTERS),
            new Found(
                    new Mutant(
                            "a row that is added leaves the filter lines that it comes into",
                            "gateway",
                            GATEWAY + "change/NewRow.java",
                            "return Conjunction.mayMeet(",
                            "return cells.isEmpty() && Conjunction.mayMeet("),
                    "should be|was never",
                    History.ADDS),
            new Found(
                    new Mutant(
                            "a row that is changed by its key leaves the filter lines that have it",
                            "gateway",
                            GATEWAY + "change/ChangedKeys.java",
                            "if (line.find(key, 0, key.length) >= 0) {",
                            "if (line.find(key, 0, key.length) >= 0 && changed == null) {"),
                    "should be|was never"),
            new Found(
                    new Mutant(
                            "a row that is changed by its key leaves the filter lines that it comes into",
                            "gateway",
                            GATEWAY + "change/ChangedKeys.java",
                            "return Conjunction.isOnAny(conditions, changed) && after.mayMeet(conditions);",
                            "return false;"),
                    "should be|was never",
                    1_800),
            new Found(
                    new Mutant(
                            "a load of a filter line is kept though a row came into it meanwhile",
                            "rowcache",
                            ROWCACHE + "LineTable.java",
                            "load.beganNanos(), load.addedNumber());",
                            "load.beganNanos(), added.number());"),
                    "should be|was never",
                    42_000 + History.ADDS),
            new Found(
                    new Mutant(
                            "a load of a filter line begins while a row is added to it",
                            "rowcache",
                            ROWCACHE + "AddedRows.java",
                            "return CLOSED;",
                            "return now.number;"),
                    "should be|was never",
                    History.ADDS),
            new Found(
                    new Mutant(
                            "filter lines do not grow old",
                            "rowcache",
                            ROWCACHE + "LineTable.java",
                            "return ageNanos <= ttlNanos ||",
                            "return id < 0 || ageNanos <= ttlNanos ||"),
                    "should be"),
            new Found(
                    new Mutant(
                            "a line of stronger conditions answers",
                            "gateway",
                            GATEWAY + "filter/FilterIndex.java",
                            "if (asked.implies(candidate)) {",
                            "if (asked.implies(candidate) || candidate.implies(asked)) {"),
                    "should be|was never"),
            new Found(
                    new Mutant(
                            "a condition is not asked of the rows of weaker ones",
                            "gateway",
                            GATEWAY + "read/FilterRead.java",
                            "out.where(conditions.beside(of));",
                            "out.where(conditions.beside(asked));"),
                    "in the answer|was never|should be",
                    320),
            new Found(
                    new Mutant(
                            "the name of conditions does not have their values",
                            "gateway",
                            GATEWAY + "condition/Conjunction.java",
                            "bytes.writeBytes(end);",
                            ""),
                    "in the answer|was never|should be"),
            new Found(
                    new Mutant(
                            "an end that belongs to a set of values is left out",
                            "gateway",
                            GATEWAY + "condition/IntervalSet.java",
                            "return of(inclusive ? key : above(key), TOP);",
                            "return of(above(key), TOP);"),
                    "in the answer|was never|should be"),
            new Found(
                    new Mutant(
                            "a line has no more rows than fit, whatever there are",
                            "rowcache",
                            ROWCACHE + "Load.java",
                            "stoppedAt = Arrays.copyOfRange(key, suffix, keyTo);",
                            "passedEnd = true;"),
                    "was never|should be"),
            new Found(
                    new Mutant(
                            "a write leaves the range of keys that it falls into",
                            "rowcache",
                            ROWCACHE + "Slots.java",
                            "closed.loads.removeIf(load -> !load.disturb(suffix));\n            dropKey(at, suffix);",
                            "closed.loads.removeIf(load -> !load.disturb(suffix));"),
                    "should be|was never",
                    History.RANGED),
            new Found(
                    new Mutant(
                            "a load of a range of keys is kept though a write came into it",
                            "rowcache",
                            ROWCACHE + "Slots.java",
                            "attached && load.isUndisturbed(lower, upper)",
                            "attached"),
                    "should be|was never",
                    1_680 + History.RANGED),
            new Found(
                    new Mutant(
                            "a load of a range of keys reaches over one that is being written",
                            "rowcache",
                            ROWCACHE + "Admission.java",
                            "if (!Load.touches(closed, begin, end)) {",
                            "if (slot.closers == 0) {"),
                    "should be|was never",
                    27_200 + History.RANGED),
            ofTier("a write is not told behind the store's reply", "PeerLink.java", "        pending.add(drop);\n", ""),
            ofTier(
                    "a value says what was heard when it was put, not when its load began",
                    "TierLines.java",
                    "put(table, kind, seen, kept);",
                    "put(table, kind, peers.seen(), kept);",
                    2_100),
            ofTier(
                    "one member vouches for all",
                    "Peers.java",
                    "oldest == null || peer.asOfNanos - oldest < 0 ?",
                    "oldest == null || peer.asOfNanos - oldest > 0 ?",
                    14_300),
            ofTier(
                    "a value of the tier is younger than its load",
                    "TierLines.java",
                    "long beganNanos = began.getAsLong();",
                    "long beganNanos = began.getAsLong() + 500_000_000L;"),
            ofTier(
                    "a message that is missing is not missed",
                    "Peers.java",
                    "if (!same || entry.number() != peer.number + 1) {",
                    "if (!same) {"),
            ofTier(
                    "what another gateway wrote stays",
                    "LineDrops.java",
                    "known.lines().flush(rows.key(), 0, rows.key().length);",
                    ""),
            ofTier(
                    "what the next transaction commits is not told before that one ends",
                    "../change/Fencing.java",
                    "if (mayHaveCommitted) {",
                    "if (mayHaveCommitted && !transactionOpen) {",
                    1_000),
            ofTier(
                    "a strict write is acknowledged at once",
                    "PeerLink.java",
                    "return echoes == null ? null : echoes.taken();",
                    "return null;"),
            ofMerges(
                    "merged INSERTs are acknowledged before COMMIT",
                    "merge/Batch.java",
                    """
                                    next(all ? Step.COMMIT : Step.ROLLBACK, all ? COMMIT : ROLLBACK);
                                    if (all) {
                                        committing.run();
                                    }
                                }
                                case COMMIT -> {
                                    if (error == null) {
                                        figures.committed().increment();
                                        figures.rows().add(inserts.size());
                                        inserts.forEach(WaitingInsert::committed);
                    """,
                    """
                                    if (all) {
                                        inserts.subList(1, inserts.size()).forEach(WaitingInsert::committed);
                                    }
                                    next(all ? Step.COMMIT : Step.ROLLBACK, all ? COMMIT : ROLLBACK);
                                    if (all) {
                                        committing.run();
                                    }
                                }
                                case COMMIT -> {
                                    if (error == null) {
                                        figures.committed().increment();
                                        figures.rows().add(inserts.size());
                                        leader().committed();
                    """,
                    "not there|when it was acknowledged"),
            // What else such a fence closes is held by LineModelTest.
            new Found(
                    new Mutant(
                            "numbered: the line of the key that the store chose stays",
                            "gateway",
                            GATEWAY + "change/Fencing.java",
                            "                fence.close(table.lines(), key);\n",
                            ""),
                    "should be|rows of different moments"),
            ofMerges(
                    "the fence of an INSERT that waits for others is open",
                    "session/relay/Forwarder.java",
                    "        insert.join(inserts, key);",
                    "        fencing.lost();\n        insert.join(inserts, key);",
                    "should be"),
            ofMerges(
                    "the fence of an INSERT opens whose client leaves a batch",
                    "session/relay/Forwarder.java",
                    "        HeldInsert insert = held;\n        if (insert == null || insert.isAbandoned()) {",
                    """
                            HeldInsert insert = held;
                            if (insert != null) {
                                fencing.lost();
                            }
                            if (insert == null || insert.isAbandoned()) {""",
                    "should be",
                    140),
            ofMerges(
                    "the end of a batch that failed is COMMIT",
                    "merge/Batch.java",
                    "boolean all = error == null",
                    "boolean all = step == Step.INSERT || error == null",
                    "not there|told of"),
            ofMerges(
                    "a warning of a batch is nobody's",
                    "merge/Batch.java",
                    "                        && reply.warnings() == 0\n",
                    "",
                    "told of"),
            ofMerges(
                    "INSERTs whose outcome is unknown go again",
                    "merge/Batch.java",
                    "        inserts.forEach(insert -> insert.lost(cause));\n        ended.run();",
                    "        leader().lost(cause);\n        failed.accept(inserts.subList(1, inserts.size()));",
                    "refused, and there|written twice",
                    2_600));

    private static Found ofMerges(String name, String source, String text, String instead, String violation) {
        return ofMerges(name, source, text, instead, violation, 0);
    }

    private static Found ofMerges(
            String name, String source, String text, String instead, String violation, long after) {
        return new Found(
                new Mutant("merged: " + name, "gateway", GATEWAY + source, text, instead),
                violation,
                History.MERGED_FROM + after);
    }

    private static Found ofTier(String name, String source, String text, String instead) {
        return ofTier(name, source, text, instead, 0);
    }

    private static Found ofTier(String name, String source, String text, String instead, long after) {
        return new Found(
                new Mutant("tier: " + name, "gateway", GATEWAY + "tier/" + source, text, instead),
                "should be",
                History.SHARED_FROM + after);
    }

    /** Several at a time: each has classes of its own, and a history needs one thread. */
    @TestFactory
    Stream<DynamicTest> mutants_ofTheFirstHistories_areFound() {
        return tests(found -> !found.isLate());
    }

    /** The same for bugs that only later histories show. */
    @Tag("nightly")
    @TestFactory
    Stream<DynamicTest> mutants_ofLaterHistories_areFound() {
        return tests(Found::isLate);
    }

    /** CONTRIBUTING.md lists the mutants that each build finds; {@code -Dkeyline.page=write} writes them. */
    @Test
    void page_itself_listsTheMutantsOfEachBuild() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        String mutants = MUTANTS.stream()
                .filter(found -> !found.isLate())
                .map(found -> "- " + found.mutant().name() + "\n")
                .collect(Collectors.joining("", "\n", "\n"));
        if ("write".equals(System.getProperty("keyline.page"))) {
            Files.writeString(PAGE, page.substring(0, begin) + mutants + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end)).isEqualTo(mutants);
    }

    private static Stream<DynamicTest> tests(Predicate<Found> chosen) {
        // The histories of several threads must not be the first to ask for a logger: SLF4J answers with a substitute
        // while it starts.
        LoggerFactory.getILoggerFactory();
        ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        List<DynamicTest> tests = MUTANTS.stream()
                .filter(chosen)
                .filter(found -> found.mutant().name().contains(ONLY))
                .map(found -> {
                    CompletableFuture<Void> running = CompletableFuture.runAsync(() -> isFound(found), threads);
                    return DynamicTest.dynamicTest(found.mutant().name(), running::join);
                })
                .toList();
        threads.shutdown();
        return tests.stream();
    }

    private static void isFound(Found found) {
        LongFunction<String> histories = found.mutant().histories();
        for (int i = 1; i <= HISTORIES; i++) {
            long seed = found.after() + (long) i * found.oneOf();
            String violation = histories.apply(seed);
            if (!violation.isEmpty()) {
                System.out.printf("%s: seed %d: %s%n", found.mutant().name(), seed, violation);
                assertThat(violation).containsAnyOf(found.violation().split("\\|", -1));
                return;
            }
        }
        fail(HISTORIES + " histories do not show that " + found.mutant().name());
    }
}
