package org.keyline.gateway.key;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;

/**
 * Keys are equal here exactly if a real MariaDB considers the values equal. They compare and sort
 * as in MariaDB, and name the row that it writes for them.
 */
@Tag("explores")
@Execution(ExecutionMode.SAME_THREAD)
final class KeyComparisonIT {
    private static final long SEED = 20_261_123;
    /** The number of values of each type that are also compared by order. */
    private static final int COMPARED = Integer.getInteger("keyline.keys.compared", 12);

    private static final List<String> COMPARISONS = List.of("<", "<=", ">", ">=");
    private static final List<String> TURNED = List.of(">", ">=", "<", "<=");
    /** Parts of type names that MySQL does not have. */
    private static final Pattern OF_MARIADB = Pattern.compile("nopad|uca1400|uuid|inet");

    private static Map<String, KeyStore> stores = Map.of();

    @BeforeAll
    static void create() throws SQLException {
        List<String> types = Stream.of(numbersAndDates(), texts(), notExact(), notExactOfMySql())
                .flatMap(of -> of)
                .toList();
        stores = KeyStore.create("keycolumn", types, "utf8mb4_general_ci");
    }

    @AfterAll
    static void close() throws SQLException {
        if (!stores.isEmpty()) {
            stores.values().iterator().next().close();
        }
    }

    /** Returns the store of a type. One that a server of another vendor refuses proves nothing. */
    private static KeyStore store(String type) {
        KeyStore store = stores.get(type);
        assumeTrue(store != null, type);
        return requireNonNull(store);
    }

    static Stream<String> numbersAndDates() {
        return Stream.of(
                "tinyint",
                "tinyint(1)",
                "tinyint unsigned",
                "smallint",
                "smallint unsigned",
                "mediumint",
                "mediumint unsigned",
                "int",
                "int unsigned",
                "int(6) zerofill",
                "bigint",
                "bigint unsigned",
                "decimal(5,2)",
                "decimal(5,2) unsigned",
                "decimal(20,0)",
                "decimal(38,10)",
                "date",
                "datetime",
                "datetime(1)",
                "datetime(3)",
                "datetime(6)",
                "binary(3)",
                "varbinary(5)");
    }

    static Stream<String> texts() {
        return Stream.of(
                        "utf8mb4_bin",
                        "utf8mb4_nopad_bin",
                        "utf8mb4_0900_bin",
                        "utf8mb3_bin",
                        "utf8mb3_nopad_bin",
                        "latin1_bin",
                        "latin1_nopad_bin",
                        "ascii_bin",
                        "ascii_nopad_bin",
                        "utf8mb4_general_ci",
                        "utf8mb4_general_nopad_ci",
                        "utf8mb4_unicode_ci",
                        "utf8mb4_unicode_nopad_ci",
                        "utf8mb4_unicode_520_ci",
                        "utf8mb4_unicode_520_nopad_ci",
                        "utf8mb4_uca1400_ai_ci",
                        "utf8mb4_uca1400_as_ci",
                        "utf8mb4_uca1400_nopad_ai_ci",
                        "utf8mb4_0900_ai_ci",
                        "utf8mb3_general_ci",
                        "utf8mb3_unicode_ci",
                        "utf8mb3_unicode_520_ci",
                        "utf8mb3_uca1400_ai_ci",
                        "latin1_swedish_ci",
                        "latin1_swedish_nopad_ci",
                        "ascii_general_ci",
                        "ascii_general_nopad_ci")
                .filter(collation ->
                        !MariaDb.isMySql() || !OF_MARIADB.matcher(collation).find())
                .flatMap(collation -> Stream.of("varchar(5)", "char(5)")
                        .map(type -> type + " CHARACTER SET " + collation.substring(0, collation.indexOf('_'))
                                + " COLLATE " + collation));
    }

    @ParameterizedTest
    @MethodSource({"numbersAndDates", "texts"})
    void bind_anyLiteral_isEqualAndOrderedAsInTheStore(String type) throws SQLException {
        KeyStore store = store(type);
        assumeTrue(!MariaDb.isForeign() || store.key() != null, type + ": no key of a line there");
        assertThat(store.key()).as(type).isNotNull();
        Set<String> literals = new LinkedHashSet<>(KeyLiterals.of(store.column().type(), new Random(SEED)));
        Map<Integer, String> written = write(store, literals);
        Map<Integer, byte @Nullable []> rows = store.rowKeys();
        List<String> bound =
                literals.stream().filter(literal -> store.bind(literal) != null).toList();
        List<Set<Integer>> found = store.equalTo(bound);
        int equal = 0;
        for (int i = 0; i < bound.size(); i++) {
            String literal = bound.get(i);
            byte[] key = requireNonNull(store.bind(literal));
            equal += compare(type, literal, key, rows, found.get(i));
            if (i % COMPARED == COMPARED - 1) {
                compare(type, literal, key, rows, store.whereInRows("c = " + literal));
                assertOthers(type, store, literal, key, rows);
            }
        }
        // With few values on either side, the test would prove nothing.
        assertThat(bound).as("bound literals of %s", type).hasSizeGreaterThan(20);
        assertThat(literals.size() - bound.size())
                .as("refused literals of %s", type)
                .isGreaterThan(10);
        assertThat(equal).as("equal pairs of %s", type).isGreaterThan(20);
        assertWritten(type, store, written, rows);
        assertOrdered(type, store, rows);
        assertWithin(type, store, literals, rows);
        assertLoaded(type, store, rows);
        if (numbersAndDates().anyMatch(type::equals)) {
            assertParameters(type, store, literals, rows);
        }
    }

    /**
     * Writes every literal in both modes: a value that one mode refuses may be cut or rounded in
     * the other.
     */
    private static Map<Integer, String> write(KeyStore store, Set<String> literals) throws SQLException {
        Map<Integer, String> written = new LinkedHashMap<>();
        for (boolean strict : new boolean[] {true, false}) {
            store.begin(strict);
            for (String literal : literals) {
                int id = store.insert(literal);
                if (id >= 0) {
                    written.put(id, literal);
                }
            }
            store.commit();
        }
        return written;
    }

    private static int compare(
            String type, String literal, byte[] key, Map<Integer, byte @Nullable []> rows, Set<Integer> equalInStore) {
        int equal = 0;
        for (Map.Entry<Integer, byte @Nullable []> row : rows.entrySet()) {
            byte[] rowKey = row.getValue();
            if (rowKey != null) {
                boolean same = Arrays.equals(key, rowKey);
                if (same != equalInStore.contains(row.getKey())) {
                    fail("seed %d: %s = %s, row %d: the key is equal: %s", SEED, type, literal, row.getKey(), same);
                }
                equal += same ? 1 : 0;
            }
        }
        return equal;
    }

    /**
     * A write closes the fence of the key in its text, which must be the key of the row that it
     * writes.
     */
    private static void assertWritten(
            String type, KeyStore store, Map<Integer, String> written, Map<Integer, byte @Nullable []> rows) {
        written.forEach((id, literal) -> {
            byte[] key = store.bind(literal);
            if (key != null) {
                assertThat(rows.get(id))
                        .as("seed %d: %s written to %s", SEED, literal, type)
                        .isEqualTo(key);
            }
        });
    }

    private static void assertOrdered(String type, KeyStore store, Map<Integer, byte @Nullable []> rows) {
        if (!requireNonNull(store.key()).ordered()) {
            return;
        }
        byte[] before = null;
        for (Map.Entry<Integer, byte @Nullable []> row : rows.entrySet()) {
            byte[] key = row.getValue();
            if (before != null && key != null) {
                assertThat(Arrays.compareUnsigned(before, key))
                        .as("seed %d: order of %s before row %d", SEED, type, row.getKey())
                        .isLessThanOrEqualTo(0);
            }
            before = key == null ? before : key;
        }
    }

    /** {@code <>} finds every row that is not equal, except those with NULL. */
    private static void assertOthers(
            String type, KeyStore store, String literal, byte[] key, Map<Integer, byte @Nullable []> rows)
            throws SQLException {
        Set<Integer> others = new TreeSet<>();
        rows.forEach((id, row) -> {
            if (row != null && !Arrays.equals(row, key)) {
                others.add(id);
            }
        });
        assertThat(known(store.where("c <> " + literal), rows))
                .as("seed %d: %s <> %s", SEED, type, literal)
                .isEqualTo(others);
    }

    /** A comparison finds the rows whose keys compare in that way. */
    private static void assertWithin(
            String type, KeyStore store, Set<String> literals, Map<Integer, byte @Nullable []> rows)
            throws SQLException {
        if (!requireNonNull(store.key()).ordered()) {
            return;
        }
        List<String> bound = new ArrayList<>(
                literals.stream().filter(literal -> store.bind(literal) != null).toList());
        Collections.shuffle(bound, new Random(SEED));
        for (int i = 0; i < Math.min(COMPARED, bound.size() - 1); i++) {
            String comparison = COMPARISONS.get(i % COMPARISONS.size());
            String one = bound.get(i);
            byte[] key = requireNonNull(store.bind(one));
            Set<Integer> within = within(comparison, key, rows);
            String turned = one + " " + TURNED.get(i % TURNED.size()) + " c";
            for (String condition : List.of("c " + comparison + " " + one, turned)) {
                assertThat(known(store.where(condition), rows))
                        .as("seed %d: %s of %s", SEED, condition, type)
                        .isEqualTo(within);
                assertThat(known(store.whereInRows(condition), rows))
                        .as("seed %d: %s of %s, without an index", SEED, condition, type)
                        .isEqualTo(within);
            }
            String other = bound.get(i + 1);
            if (one.startsWith("'") == other.startsWith("'") && one.contains(".") == other.contains(".")) {
                Set<Integer> between = within(">=", key, rows);
                between.retainAll(within("<=", requireNonNull(store.bind(other)), rows));
                assertThat(known(store.where("c BETWEEN " + one + " AND " + other), rows))
                        .as("seed %d: %s between %s and %s", SEED, type, one, other)
                        .isEqualTo(between);
            }
        }
    }

    /** Returns the rows without those that make a load fail. */
    private static Set<Integer> known(Set<Integer> found, Map<Integer, byte @Nullable []> rows) {
        found.removeIf(id -> rows.get(id) == null);
        return found;
    }

    private static Set<Integer> within(String comparison, byte[] key, Map<Integer, byte @Nullable []> rows) {
        Set<Integer> ids = new TreeSet<>();
        rows.forEach((id, row) -> {
            int order = row == null ? 0 : Arrays.compareUnsigned(row, key);
            boolean holds = order == 0 ? comparison.endsWith("=") : comparison.startsWith("<") == order < 0;
            if (row != null && holds) {
                ids.add(id);
            }
        });
        return ids;
    }

    /**
     * The literal of a load finds the rows of its key; any other row that it finds makes the load
     * fail.
     */
    private static void assertLoaded(String type, KeyStore store, Map<Integer, byte @Nullable []> rows)
            throws SQLException {
        Map<String, Set<Integer>> byLiteral = new LinkedHashMap<>();
        rows.forEach((id, key) -> {
            if (key != null) {
                byLiteral
                        .computeIfAbsent(store.loadLiteral(key), made -> new TreeSet<>())
                        .add(id);
            }
        });
        List<String> loads = List.copyOf(byLiteral.keySet());
        List<Set<Integer>> found = store.equalTo(loads);
        for (int i = 0; i < loads.size(); i++) {
            assertThat(known(found.get(i), rows))
                    .as("load of %s = %s", type, loads.get(i))
                    .isEqualTo(byLiteral.get(loads.get(i)));
        }
    }

    /** The same with the binary protocol, whose values have types. */
    private static void assertParameters(
            String type, KeyStore store, Set<String> literals, Map<Integer, byte @Nullable []> rows)
            throws SQLException {
        int bound = 0;
        for (Object value : parameters(literals)) {
            byte[] key = store.bind(new OneValue(value), false);
            if (key != null) {
                bound++;
                compare(type, value + " of " + value.getClass(), key, rows, store.where("=", value));
                String comparison = COMPARISONS.get(bound % COMPARISONS.size());
                assertThat(known(store.where(comparison, value), rows))
                        .as("%s %s %s of %s", type, comparison, value, value.getClass())
                        .isEqualTo(within(comparison, key, rows));
            }
        }
        assertThat(bound).as("bound parameters of %s", type).isGreaterThan(3);
    }

    /** Returns the values that a literal can represent. */
    private static Set<Object> parameters(Set<String> literals) {
        Set<Object> values = new LinkedHashSet<>();
        for (String literal : literals) {
            String text = literal.startsWith("'") ? literal.substring(1, literal.length() - 1) : literal;
            if (!text.contains("\\") && !text.contains("'")) {
                values.add(text);
            }
            if (text.matches("-?[0-9]{1,18}")) {
                values.add(Long.valueOf(text));
            }
            if (text.matches("-?[0-9]+(\\.[0-9]+)?")) {
                values.add(new BigDecimal(text));
                values.add(Double.valueOf(text));
            }
            if (text.matches("[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}( .*)?") && !text.matches(".*-00.*|2023-02-29.*")) {
                LocalDate date = LocalDate.parse(text.substring(0, 10));
                values.add(date);
                if (text.length() >= 19) {
                    values.add(date.atTime(LocalTime.parse(text.substring(11))));
                }
            }
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(strings = {"utf8mb4_bin", "utf8mb4_unicode_ci", "utf8mb3_general_ci"})
    void bind_underAnyCollationOfTheConnection_isTheSame(String collation) throws SQLException {
        assumeTrue(!MariaDb.isForeign(), "text is no key of a line there");
        String type = "varchar(5) COLLATE " + (MariaDb.isMySql() ? "utf8mb4_0900_ai_ci" : "utf8mb4_uca1400_ai_ci");
        try (KeyStore store = requireNonNull(
                KeyStore.create("keycollation", List.of(type), collation).get(type))) {
            List<String> literals = List.of("'a'", "'A'", "'á'", "'a '", "'b'", "''", "' '", "'ab'", "'aB'");
            write(store, new LinkedHashSet<>(literals));
            Map<Integer, byte @Nullable []> rows = store.rowKeys();
            int bound = 0;
            for (String literal : literals) {
                byte[] key = store.bind(literal);
                if (key != null) {
                    bound++;
                    compare(
                            collation,
                            literal,
                            key,
                            rows,
                            store.equalTo(List.of(literal)).get(0));
                }
            }
            assertThat(bound).isEqualTo(8);
        }
    }

    static Stream<String> notExact() {
        return Stream.of(
                        "float",
                        "double",
                        "timestamp",
                        "time",
                        "year",
                        "bit(3)",
                        "enum('a','b')",
                        "set('a','b')",
                        "uuid",
                        "inet4",
                        "inet6",
                        "varchar(5) COLLATE utf8mb4_swedish_ci",
                        "varchar(5) COLLATE utf8mb4_turkish_ci",
                        "varchar(5) COLLATE utf8mb4_uca1400_danish_ai_ci",
                        "varchar(5) CHARACTER SET latin1 COLLATE latin1_german2_ci",
                        "varchar(5) CHARACTER SET latin1 COLLATE latin1_general_cs",
                        "varchar(5) CHARACTER SET gbk",
                        "varchar(5) CHARACTER SET utf16",
                        "varchar(5) CHARACTER SET cp1251 COLLATE cp1251_bin")
                .filter(type -> !MariaDb.isMySql() || !OF_MARIADB.matcher(type).find());
    }

    static Stream<String> notExactOfMySql() {
        return Stream.of("as_cs", "as_ci", "de_pb_0900_ai_ci", "ja_0900_as_cs_ks", "tr_0900_ai_ci")
                .filter(collation -> MariaDb.isMySql())
                .map(kind -> "varchar(5) COLLATE utf8mb4_" + (kind.contains("0900") ? kind : "0900_" + kind));
    }

    @ParameterizedTest
    @MethodSource({"notExact", "notExactOfMySql"})
    void of_whatIsNotProvenExact_isNoKeyColumn(String type) throws SQLException {
        KeyStore store = store(type);
        assertThat(store.key()).isNull();
    }
}
