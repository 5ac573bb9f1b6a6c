package org.keyline.gateway.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * The scenarios of a script, the resource {@code NAME.txt} beside a test class of that name. Each
 * session of a scenario is two: one through the gateway, one directly at its store. Both get the
 * same packets.
 *
 * <p>At its head, a script has settings of the gateway ({@code setting}), the schema of its
 * sessions, {@code store logging} if the store has a binary log, names ({@code let NAME text} for
 * {@code $NAME}), statements that run at the store before the gateway starts ({@code once}), and
 * statements that run through the gateway before each scenario or at last ({@code before},
 * {@code last}). {@code before past} runs at the store. A scenario runs once for each of its
 * {@code row}s and {@code by}s, which it calls {@code $ROW} and {@code $BY}; their columns,
 * separated by {@code |}, are {@code $1} and {@code $B1}. The other lines are a session, or several
 * with commas, an action, and texts, separated by {@code ;;}:
 *
 * <ul>
 *   <li>{@code same}: both get the same packets; {@code thrice}, {@code often}: repeatedly.
 *   <li>{@code line}: likewise, until a line answers; {@code hit}, {@code still}: a line answers at
 *       once; {@code filtered}, {@code reason}, {@code store}, {@code miss}, {@code soonMiss},
 *       {@code last}: {@code KEYLINE LAST} says something else.
 *   <li>{@code run}: the statement runs through the gateway alone and succeeds; {@code try}: it may
 *       fail; {@code attempt}: it may fail, but the store can parse it; {@code past},
 *       {@code pastTry}: it runs directly at the store alone.
 *   <li>{@code start} and {@code end}: it runs beside the next actions; {@code until}: the store's
 *       answer is no longer 0; {@code lineAfter}: a line answers a read behind a write.
 *   <li>{@code cell}, {@code says}, {@code explained}, {@code denied}, {@code fails}: the answer
 *       through the gateway.
 *   <li>{@code prepare}, {@code execute}, and others: commands of a named statement.
 * </ul>
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Scenarios {
    private static final String SEVERAL = " ;; ";
    private static final String YIELDS = " => ";
    private static final String SYNTAX = "You have an error in your SQL syntax";
    private static final String LINE = "source line";

    private static final Twins.Statement UNPREPARED = new Twins.Statement(-1, -1);

    /** The parts of a line of a scenario: a session, and what it does with which text. */
    private record Step(String session, String does) {}

    /** A scenario with one row and one second row; each is an empty text if there is none. */
    record Scenario(String name, String row, String by, List<Step> steps) {
        @Override
        public String toString() {
            return (name + ": " + row + " / " + by).replaceAll("[: /]+$", "");
        }
    }

    private final Map<String, String> names = longestFirst();
    private final List<String> settings = new ArrayList<>();
    private final List<String> once = new ArrayList<>();
    private final List<String> before = new ArrayList<>();
    private final List<String> last = new ArrayList<>();
    private final List<Scenario> scenarios = new ArrayList<>();
    private String schema = "";
    private boolean logs;
    private boolean anyIndex;

    @SuppressWarnings("NullAway.Init")
    private MariaDb store;

    @SuppressWarnings("NullAway.Init")
    private RelayGateway gateway;

    Scenarios() {
        String name = "";
        List<String> rows = new ArrayList<>();
        List<String> others = new ArrayList<>();
        List<Step> steps = new ArrayList<>();
        List<String> lines = new ArrayList<>(TextLines.of(getClass(), getClass().getSimpleName() + ".txt"));
        lines.add("scenario end");
        names.put("$LONG", "long ".repeat(400));
        names.put("$HUGE", "huge ".repeat(14_000));
        for (String line : lines) {
            String word = line.substring(0, line.indexOf(' '));
            String rest = line.substring(word.length() + 1);
            switch (word) {
                case "setting" -> settings.add(rest);
                case "schema" -> schema = rest;
                case "store" -> logs = rest.equals("logging");
                case "indexes" -> anyIndex = rest.equals("any");
                case "let" ->
                    names.put("$" + rest.substring(0, rest.indexOf(' ')), rest.substring(rest.indexOf(' ') + 1));
                case "once" -> once.add(rest);
                case "before" -> before.add(rest);
                case "last" -> last.add(rest);
                case "row" -> rows.add(rest);
                case "by" -> others.add(rest);
                case "scenario" -> {
                    for (String row : rows.isEmpty() ? List.of("") : rows) {
                        for (String by : others.isEmpty() ? List.of("") : others) {
                            scenarios.add(new Scenario(name, row, by, List.copyOf(steps)));
                        }
                    }
                    name = rest;
                    rows.clear();
                    others.clear();
                    steps.clear();
                }
                default -> steps.add(new Step(word, rest));
            }
        }
        scenarios.remove(0);
    }

    private static Map<String, String> longestFirst() {
        return new TreeMap<>(Comparator.comparing(String::length).reversed().thenComparing(Comparator.naturalOrder()));
    }

    @BeforeAll
    void start() throws Exception {
        store = logs ? MariaDb.logging("logging") : MariaDb.get("second");
        // The gateway reads the definitions at its start. Definitions that were created through it
        // would be unknown for up to a second, and a write meanwhile may drop any line.
        store.run(once.toArray(String[]::new));
        gateway = RelayGateway.start(store, settings.toArray(String[]::new));
    }

    @AfterAll
    void stop() throws Exception {
        try (Twins owner = open("schema=")) {
            for (String sql : last) {
                owner.run(sql);
            }
        }
        gateway.close();
    }

    MariaDb store() {
        return store;
    }

    RelayGateway gateway() {
        return gateway;
    }

    List<Scenario> scenarios() {
        return scenarios;
    }

    @BeforeEach
    void reset() throws Exception {
        try (Run run = new Run(new Scenario("", "", "", List.of()))) {
            for (String sql : before) {
                run.step("setup", sql.startsWith("past ") ? run.substituted(sql) : "run " + run.substituted(sql));
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void scenario(Scenario scenario) throws Exception {
        try (Run run = new Run(scenario)) {
            for (Step step : scenario.steps()) {
                String does = run.substituted(step.does());
                for (String session : step.session().split(",", -1)) {
                    run.step(session, does);
                }
            }
        }
    }

    /**
     * Opens a session at both ends, with options such as {@code user=clerk}, separated by spaces.
     */
    Twins open(String options) throws Exception {
        return open(gateway, options);
    }

    Twins open(RelayGateway through, String options) throws Exception {
        Map<String, String> given = new HashMap<>(Map.of("schema", schema));
        for (String option : options.split(" ", -1)) {
            given.put(option.substring(0, Math.max(0, option.indexOf('='))), option.substring(option.indexOf('=') + 1));
        }
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_MULTI_STATEMENTS;
        if (given.containsKey("eof")) {
            capabilities &= ~Capabilities.CLIENT_DEPRECATE_EOF;
        }
        if (given.containsKey("track")) {
            capabilities |= Capabilities.CLIENT_SESSION_TRACK;
        }
        String database = given.getOrDefault("schema", "");
        ClientOptions client = ClientOptions.of("127.0.0.1", 1, given.getOrDefault("user", MariaDb.USER))
                .password(given.getOrDefault("password", MariaDb.PASSWORD))
                .capabilities(capabilities)
                .retrievePublicKey(true)
                .database(database.isEmpty() ? null : database)
                .build();
        Twins twins = new Twins(store, through.port(), client);
        return anyIndex ? twins.withAnyIndex() : twins;
    }

    /** One run of a scenario. */
    private final class Run implements AutoCloseable {
        private final Map<String, Twins> sessions = new HashMap<>();
        private final Map<String, Twins.Statement> handles = new HashMap<>();
        private final Map<String, CompletableFuture<Answer>> started = new HashMap<>();
        private final Map<String, String> values = longestFirst();

        Run(Scenario scenario) {
            values.put("$ROW", scenario.row());
            values.put("$BY", scenario.by());
            for (String[] columns : new String[][] {{"$", scenario.row()}, {"$B", scenario.by()}}) {
                String[] each = columns[1].split(" \\| ?", -1);
                for (int i = 0; i < each.length; i++) {
                    values.put(columns[0] + (i + 1), each[i]);
                }
            }
        }

        String substituted(String text) {
            String all = text;
            for (Map<String, String> known : List.of(values, names)) {
                for (Map.Entry<String, String> name : known.entrySet()) {
                    all = all.replace(name.getKey(), name.getValue());
                }
            }
            return all;
        }

        Twins session(String name) throws Exception {
            Twins known = sessions.get(name);
            if (known == null) {
                known = open("user=" + MariaDb.USER);
                sessions.put(name, known);
            }
            return known;
        }

        void step(String name, String does) throws Exception {
            String action = does.contains(" ") ? does.substring(0, does.indexOf(' ')) : does;
            String text = does.substring(Math.min(does.length(), action.length() + 1));
            if (action.equals("open")) {
                sessions.put(name, open(text));
                return;
            }
            for (String each : text.split(SEVERAL, -1)) {
                try {
                    act(name, action, each);
                } catch (AssertionError e) {
                    throw new AssertionError(name + " " + action + " " + each + ": " + e.getMessage(), e);
                }
            }
        }

        private void act(String name, String action, String text) throws Exception {
            Twins session = session(name);
            switch (action) {
                case "run" -> session.run(text);
                case "try" -> session.throughOnly(text);
                case "attempt" -> {
                    Answer answer = session.throughOnly(text);
                    assertThat(Twins.readable(answer)).matches(read -> MariaDb.isMySql() || !read.contains(SYNTAX));
                }
                case "past" -> assertThat(session.straightOnly(text).isError()).isFalse();
                case "pastTry" -> session.straightOnly(text);
                case "same" -> session.query(text);
                case "thrice" -> times(session, text, 3);
                case "often" -> times(session, text, 300);
                case "line" -> soon(text).untilAsserted(() -> source(session, text, LINE));
                case "hit" -> source(session, text, LINE);
                case "store" -> source(session, text, "source store");
                case "filtered" -> soon(text).untilAsserted(() -> source(session, text, "filter line"));
                case "miss" -> {
                    session.query(text);
                    assertThat(session.readable("KEYLINE LAST")).doesNotContain(LINE);
                }
                case "ping" -> session.send(Twins.text(CommandCode.COM_PING, ""), "PING");
                case "schema" -> session.send(Twins.text(CommandCode.COM_INIT_DB, text), "INIT_DB " + text);
                case "until" ->
                    soon(text)
                            .until(() -> !Twins.row(session.straightOnly(text)).equals("0"));
                case "untilHere" ->
                    soon(text).until(() -> !Twins.row(session.throughOnly(text)).equals("0"));
                case "start" -> started.put(name, CompletableFuture.supplyAsync(() -> answer(session, text)));
                case "end" -> {
                    Answer answer = requireNonNull(started.get(name)).get(1, TimeUnit.MINUTES);
                    assertThat(answer.isError()).as(Twins.readable(answer)).isFalse();
                }
                case "nothing" -> {}
                default -> expected(session, name, action, text);
            }
        }

        private void expected(Twins session, String name, String action, String text) throws Exception {
            String[] parts = text.split(YIELDS, 2);
            switch (action) {
                case "last" -> assertThat(session.readable("KEYLINE LAST")).contains(text);
                case "denied" -> assertThat(Twins.readable(session.query(text))).contains("denied");
                case "fails" -> assertThat(session.throughOnly(text).isError()).isTrue();
                case "says" ->
                    soon(text)
                            .untilAsserted(
                                    () -> assertThat(session.readable(parts[0])).contains(parts[1]));
                case "explained" ->
                    soon(text)
                            .untilAsserted(() -> assertThat(session.readable("KEYLINE EXPLAIN " + parts[0]))
                                    .contains(parts[1]));
                case "cell" ->
                    assertThat(Twins.row(session.throughOnly(parts[0]))).isEqualTo(parts[1]);
                case "reason" -> soon(text).untilAsserted(() -> source(session, parts[0], parts[1]));
                case "still" -> {
                    // A definition that was read meanwhile makes the gateway plan the statement again.
                    do {
                        session.query(text);
                    } while (session.readable("KEYLINE LAST").contains("NO_TEMPLATE"));
                    assertThat(session.readable("KEYLINE LAST")).contains(LINE);
                }
                case "lineAfter" ->
                    soon(text).untilAsserted(() -> {
                        session.run(parts[0]);
                        source(session, parts[1], LINE);
                    });
                case "lineThrough" ->
                    soon(text).untilAsserted(() -> {
                        session.run(text);
                        assertThat(session.readable("KEYLINE LAST")).contains(LINE);
                    });
                case "soonMiss" ->
                    soon(text).untilAsserted(() -> {
                        session.query(text);
                        assertThat(session.readable("KEYLINE LAST")).doesNotContain(LINE);
                    });
                case "trusted" ->
                    soon(text).untilAsserted(() -> {
                        session.run("COMMIT");
                        session.run("START TRANSACTION");
                        session.run(text);
                        assertThat(session.readable("KEYLINE LAST")).contains(LINE);
                    });
                default -> prepared(session, name, action, text);
            }
        }

        private void prepared(Twins session, String name, String action, String text) throws Exception {
            String[] parts = text.split(" ", 2);
            String key = name + " " + parts[0];
            Twins.Statement handle = handles.getOrDefault(key, UNPREPARED);
            switch (action) {
                case "shape" -> {
                    soon(text).untilAsserted(() -> source(session, parts[1].replace("?", parts[0]), LINE));
                    Twins.Statement prepared = session.prepare(parts[1]);
                    String all = parts[1].replaceAll("[^?]", "").replace("?", ", " + parts[0]);
                    soon(text).untilAsserted(() -> execute(session, prepared, "it" + all.substring(1), LINE));
                }
                case "keep" -> values.put("$" + parts[0], Twins.row(session.throughOnly(parts[1])));
                case "in" -> session.sendThroughOnly(CommandCode.COM_QUERY, parts[1].getBytes(parts[0]));
                case "schemaIn" -> session.sendThroughOnly(CommandCode.COM_INIT_DB, parts[1].getBytes(parts[0]));
                case "prepare" -> handles.put(key, session.prepare(parts[1]));
                case "prepareThrough" -> handles.put(key, session.prepareThroughOnly(parts[1]));
                case "close" -> session.close(handle);
                case "reset" -> session.reset(handle);
                case "ahead" -> session.sendAhead(handle, Twins.longData(parts[1]));
                case "untyped" -> session.executeUntyped(handle, parts[1]);
                case "execute" -> session.execute(handle, arguments(parts[1]), text);
                case "executeRun" ->
                    assertThat(session.executeThroughOnly(handle, arguments(parts[1]))
                                    .isError())
                            .isFalse();
                case "executeLine" -> soon(text).untilAsserted(() -> execute(session, handle, text, LINE));
                case "executeStore" -> execute(session, handle, text, "source store");
                case "executeDenied" ->
                    soon(text)
                            .until(() -> session.executeThroughOnly(handle, arguments(parts[1]))
                                    .isError());
                default -> throw new IllegalArgumentException(action);
            }
        }

        @Override
        public void close() {
            sessions.values().forEach(Twins::close);
        }
    }

    private static void execute(Twins session, Twins.Statement handle, String text, String source) throws Exception {
        session.execute(handle, arguments(text.split(" ", 2)[1]), text);
        assertThat(session.readable("KEYLINE LAST")).contains(source);
    }

    private static void times(Twins session, String text, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            session.query(text);
        }
    }

    private static Answer answer(Twins session, String text) {
        try {
            return session.throughOnly(text);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private static void source(Twins session, String text, String source) throws Exception {
        session.query(text);
        assertThat(session.readable("KEYLINE LAST")).contains(source);
    }

    /**
     * Returns values: numbers, texts in quotes, doubles with a final {@code d}, NULL, a value that
     * was sent ahead, or a type and its bytes.
     */
    private static StatementArguments arguments(String list) {
        StatementArguments arguments = new StatementArguments();
        for (String value : list.split(", ", -1)) {
            if (value.equals("NULL")) {
                arguments.addNull();
            } else if (value.equals("ahead")) {
                arguments.add(ColumnType.LONGLONG, new byte[0]);
            } else if (value.startsWith("TIMESTAMP:")) {
                arguments.add(ColumnType.TIMESTAMP, HexFormat.of().parseHex(value.substring(value.indexOf(':') + 1)));
            } else if (value.startsWith("'")) {
                arguments.addText(value.substring(1, value.length() - 1));
            } else if (value.endsWith("d")) {
                arguments.addFloat64(Double.parseDouble(value));
            } else {
                arguments.addInt64(Long.parseLong(value));
            }
        }
        return arguments;
    }
}
