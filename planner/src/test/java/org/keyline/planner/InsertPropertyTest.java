package org.keyline.planner;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.digest.Digester;

/**
 * What an INSERT closes and adds, held against the rows that were put into its text: each row is
 * under a key prefix that the effect names, the prefixes are as long as the values allow, and the
 * cells that it tells of one row are those of the text.
 */
final class InsertPropertyTest {
    private static final int STATEMENTS = 20_000;
    private static final List<String> KEY = List.of("k1", "k2", "k3");
    private static final List<String> COLUMNS = List.of("k1", "k2", "k3", "v", "w");
    private static final String[] VERBS = {"INSERT", "INSERT", "REPLACE"};
    private static final String[] MODIFIERS = {
        "", "", "", " IGNORE", " LOW_PRIORITY", " HIGH_PRIORITY IGNORE", " DELAYED", " LOW_PRIORITY IGNORE"
    };
    private static final String[] NO_VALUES = {
        "NULL", "DEFAULT", "1+1", "(1)", "CONCAT(1,2)", "'a' 'b'", "-1-1", "[1,2]", "{1:2,3:4}", "CONCAT((1),(2),3)"
    };
    private static final String CALL = "SPLIT_PART(1,2)";
    private static final String[] TAILS = {"", "", "", " RETURNING k1", " AS new"};
    private static final String[] TAILS_THAT_WRITE = {
        " ON DUPLICATE KEY UPDATE v=VALUES(v)",
        " ON DUPLICATE KEY UPDATE w=5, v=w+6",
        " ON DUPLICATE KEY UPDATE %s.v=(1,2) RETURNING k1",
        " AS n ON DUPLICATE KEY UPDATE v=n.v",
        " AS n(a,b) ON DUPLICATE KEY UPDATE v=n.b"
    };
    private static final String[] TAILS_THAT_WRITE_KEYS = {
        " ON DUPLICATE KEY UPDATE k3=7",
        " ON DUPLICATE KEY UPDATE v=1, k1=k1+1",
        " ON DUPLICATE KEY UPDATE none=1",
        " ON DUPLICATE KEY UPDATE x.v=1",
        " ON DUPLICATE KEY UPDATE v=GREATEST(1,2), %s.k2=1"
    };

    /** What no INSERT of values ends with. */
    private static final String[] STRANGE = {" LIMIT 1", " WHERE k1=1"};

    private static final ColumnType BIGINT = ColumnType.of(ColumnType.Kind.BIGINT);
    private static final TestCatalog WITH_FUNCTIONS = catalog();
    private static final TestCatalog WITHOUT_FUNCTIONS = catalog().withoutStoredFunctions();

    private static TestCatalog catalog() {
        TestCatalog catalog = new TestCatalog();
        catalog.add(table("c", WriteScope.CELLS, false, "1"));
        catalog.add(table("r", WriteScope.ROWS, false, "1"));
        catalog.add(table("a", WriteScope.CELLS, true, "1"));
        catalog.add(numbered(table("n", WriteScope.CELLS, false, "1")));
        catalog.add(table("f", WriteScope.CELLS, false, "uuid()"));
        catalog.add(table("u", WriteScope.TABLE, false, "1"));
        return catalog;
    }

    /**
     * A table with v, which may be NULL, and w, which may not.
     *
     * @param numbers whether the store numbers the rows in k2
     * @param byDefault what w is if nothing is given
     */
    private static TableSchema table(String name, WriteScope reach, boolean numbers, String byDefault) {
        List<ColumnSchema> columns = List.of(
                ColumnSchema.of("k1", BIGINT, false),
                new ColumnSchema("k2", BIGINT, false, null, numbers, ""),
                new ColumnSchema("k3", BIGINT, false, "0", false, ""),
                ColumnSchema.of("v", BIGINT, true),
                new ColumnSchema("w", BIGINT, false, byDefault, false, ""));
        return new TableSchema(
                new TableName("d", name),
                1,
                TableModel.UNIQUE,
                columns,
                List.of(0, 1, 2),
                List.of(),
                "",
                Map.of(),
                reach);
    }

    /** The table with v numbered by the store. */
    private static TableSchema numbered(TableSchema table) {
        List<ColumnSchema> columns = new ArrayList<>(table.columns());
        columns.set(3, new ColumnSchema("v", BIGINT, false, null, true, ""));
        return new TableSchema(
                table.name(),
                table.id(),
                table.model(),
                columns,
                table.keyColumns(),
                List.of(),
                "",
                Map.of(),
                table.writeScope());
    }

    /** A statement under way: its text, and what of it decides on the effect. */
    private static final class Statement {
        final SplittableRandom random;
        final TableSchema table;
        final List<String> columns;
        final List<List<Cell>> rows = new ArrayList<>();
        final String sql;
        final boolean inserts;
        /** Whether it does nothing but to give values to the cells of rows. */
        boolean plain = true;

        /**
         * Whether it has what looks like the call of a stored function, and the store may have
         * such.
         */
        final boolean calls;

        final TestCatalog catalog;
        final boolean overwritesTable;
        final boolean writes;
        final boolean writesKeys;

        Statement(SplittableRandom random) {
            this.random = random;
            catalog = random.nextBoolean() ? WITH_FUNCTIONS : WITHOUT_FUNCTIONS;
            String name = any("c", "c", "r", "a", "n", "f", "u");
            table = requireNonNull(catalog.table("d", name));
            List<String> listed = listed();
            columns = listed.isEmpty() ? COLUMNS : listed;
            for (int count = random.nextBoolean() ? 1 : 1 + random.nextInt(4); count > 0; count--) {
                rows.add(columns.stream().map(column -> cell()).toList());
            }
            String verb = any(VERBS);
            inserts = verb.equals("INSERT");
            boolean bare = random.nextInt(3) == 0;
            String modifiers = bare ? "" : any(MODIFIERS);
            overwritesTable = !bare && random.nextInt(20) == 0;
            String into = overwritesTable
                    ? any(" OVERWRITE TABLE", " OVERWRITE")
                    : any("", " INTO", bare ? "" : " INTO TABLE");
            String partition = bare ? "" : any("", "", " PARTITION (p0,p1)");
            plain = modifiers.isEmpty() && !into.endsWith("TABLE") && partition.isEmpty();
            String values = values(listed, partition.isEmpty());
            boolean strange = !bare && !values.startsWith(" SET") && random.nextInt(10) == 0;
            writesKeys = strange || (!bare && random.nextInt(6) == 0);
            writes = writesKeys || (!bare && random.nextInt(3) == 0);
            String tail = bare
                    ? ""
                    : any(strange ? STRANGE : writesKeys ? TAILS_THAT_WRITE_KEYS : writes ? TAILS_THAT_WRITE : TAILS);
            plain &= tail.isEmpty();
            calls = catalog.storedFunctions() && (values.contains(CALL) || tail.contains("n("));
            sql = verb
                    + modifiers
                    + into
                    + any(" ", " d.")
                    + any(name, name.toUpperCase(Locale.ROOT), "`" + name + "`")
                    + partition
                    + values
                    + tail.replace("%s", name);
        }

        private String any(String... texts) {
            return texts[random.nextInt(texts.length)];
        }

        private Cell cell() {
            if (random.nextInt(6) == 0) {
                return new Cell(random.nextInt(20) == 0 ? CALL : any(NO_VALUES), null);
            }
            long value = random.nextInt(-50, 1_000);
            return new Cell(value < 0 && random.nextBoolean() ? "- " + -value : String.valueOf(value), value);
        }

        /**
         * The order in which it names its columns, of which some may lack; empty where it names
         * none.
         */
        private List<String> listed() {
            if (random.nextInt(3) == 0) {
                return List.of();
            }
            List<String> columns = new ArrayList<>(COLUMNS);
            Collections.shuffle(columns, new Random(random.nextLong()));
            return columns.subList(0, 2 + random.nextInt(COLUMNS.size() - 1));
        }

        private String spelled(String column) {
            String spelled = any(
                    column,
                    column,
                    "`" + column + "`",
                    column.toUpperCase(Locale.ROOT),
                    table.name().table() + "." + column);
            plain &= !spelled.contains(".");
            return spelled;
        }

        private String values(List<String> listed, boolean maySet) {
            if (rows.size() == 1 && maySet && random.nextInt(4) == 0) {
                List<String> assignments = new ArrayList<>();
                for (int i = 0; i < columns.size(); i++) {
                    assignments.add(spelled(columns.get(i))
                            + any("=", " = ", ":=")
                            + rows.get(0).get(i).text());
                }
                return " SET " + String.join(", ", assignments);
            }
            String names = listed.isEmpty()
                    ? ""
                    : listed.stream().map(this::spelled).collect(Collectors.joining(any(",", " , "), " (", ")"));
            return names
                    + any(" VALUES ", " VALUE", "\nvalues ")
                    + rows.stream()
                            .map(row -> row.stream().map(Cell::text).collect(Collectors.joining(",", "(", ")")))
                            .collect(Collectors.joining(any(",", ", ")));
        }

        /**
         * The position in the key of the column that the store numbers; behind it if there is none.
         */
        int number() {
            return table.name().table().equals("a") ? 1 : KEY.size();
        }

        /**
         * Whether it only adds rows, whose keys it gives as values, up to a cell that the store
         * numbers.
         */
        boolean onlyAdds() {
            return inserts
                    && !writes
                    && table.writeScope().isWithinRows()
                    && rows.stream()
                            .allMatch(row -> KEY.stream().noneMatch(key -> isComputed(row, key))
                                    && (prefix(row).size() == KEY.size()
                                            || prefix(row).size() == number()));
        }

        private boolean isComputed(List<Cell> row, String key) {
            int at = columns.indexOf(key);
            return at >= 0
                    && row.get(at).value() == null
                    && !List.of("NULL", "DEFAULT").contains(row.get(at).text());
        }

        /** The values of the first key columns, up to the first that is not given as one. */
        List<Long> prefix(List<Cell> row) {
            List<Long> prefix = new ArrayList<>();
            for (String key : KEY) {
                int at = columns.indexOf(key);
                Long value = at < 0 ? null : row.get(at).value();
                if (value == null) {
                    break;
                }
                prefix.add(value);
            }
            return prefix;
        }

        /** Whether the store writes the cells as the text gives them. */
        boolean isExact() {
            return table.writeScope() == WriteScope.CELLS;
        }

        /** Whether it adds one row at most, and changes none. */
        boolean adds() {
            return isExact() && inserts && !writes && rows.size() == 1;
        }

        /** The cells of each row that are values. */
        List<List<Given>> given() {
            return rows.stream().map(this::given).toList();
        }

        private List<Given> given(List<Cell> row) {
            List<Given> given = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                Long value = row.get(i).value();
                if (value != null) {
                    given.add(new Given(COLUMNS.indexOf(columns.get(i)), value));
                }
            }
            return given;
        }

        /** Whether two who add the row at one moment get the same one. */
        boolean sameForAll() {
            boolean allValues = rows.get(0).stream().allMatch(cell -> cell.value() != null);
            boolean numbered = List.of("a", "n").contains(table.name().table());
            boolean derived = table.name().table().equals("f") && !columns.contains("w");
            return plain && allValues && columns.containsAll(KEY) && !numbered && !derived;
        }
    }

    /** A cell as it is written; the value is null where it is not one. */
    private record Cell(String text, @Nullable Long value) {}

    /** A cell that a row is given; the column by its ordinal. */
    private record Given(int column, long value) {}

    private static long value(KeyPart part, Digester digester) {
        return Long.parseLong(digester.slotText(part.slot())) * (part.negated() ? -1 : 1);
    }

    private static List<Long> values(List<KeyPart> prefix, Digester digester) {
        return prefix.stream().map(part -> value(part, digester)).toList();
    }

    @Test
    void rows_areUnderThePrefixesOfTheEffect() {
        int[] named = new int[1];
        int[] added = new int[1];
        int[] plain = new int[1];
        int[] numbered = new int[1];
        Seeds.forEach(1, STATEMENTS, random -> {
            Statement statement = new Statement(random);
            if (check(statement) instanceof Effect.Rows rows) {
                named[0]++;
                added[0] += rows.added().isEmpty() ? 0 : 1;
                plain[0] += rows.adds() == Effect.Rows.Adds.PLAIN_ROW ? 1 : 0;
                numbered[0] += rows.onlyAdds() && !rows.namesRows() ? 1 : 0;
            }
        });
        // Were tables closed only, no prefix would be tested.
        assertThat(named[0]).isGreaterThan(STATEMENTS / 4);
        assertThat(added[0]).isGreaterThan(STATEMENTS / 10);
        assertThat(plain[0]).isGreaterThan(STATEMENTS / 100);
        assertThat(numbered[0]).isGreaterThan(STATEMENTS / 200);
    }

    /** Answers the effect, which is right. */
    private static Effect check(Statement statement) {
        String sql = statement.sql;
        Digester digester = Plans.digest(sql);
        Effect effect =
                ((Forward) Plans.PLANNER.plan(digester, "d", statement.catalog).plan()).effect();
        if (statement.calls) {
            assertThat(effect).as(sql).isEqualTo(Effect.EVERYTHING);
            return effect;
        }
        List<List<Long>> keys = statement.rows.stream().map(statement::prefix).toList();
        int length = keys.stream().mapToInt(List::size).min().orElse(0);
        boolean onlyAdds = statement.onlyAdds();
        int known = onlyAdds ? length : Math.min(length, statement.number());
        boolean rowsOnly = statement.table.writeScope().isWithinRows() && !statement.overwritesTable;
        if (!rowsOnly || statement.writesKeys || (known == 0 && !onlyAdds)) {
            assertThat(effect).as(sql).isEqualTo(new Effect.Tables(List.of(statement.table.name())));
            return effect;
        }
        assertThat(effect).as(sql).isInstanceOf(Effect.Rows.class);
        Effect.Rows rows = (Effect.Rows) effect;
        assertThat(rows.prefixes().stream().map(prefix -> values(prefix, digester)))
                .as(sql)
                .containsExactlyElementsOf(
                        keys.stream().map(key -> key.subList(0, known)).toList());
        assertThat(rows.assigned()).as(sql).isEmpty();
        assertThat(rows.added().stream()
                        .map(cells -> cells.stream()
                                .map(cell -> new Given(cell.column(), value(cell.value(), digester)))
                                .toList()))
                .as(sql)
                .containsExactlyElementsOf(statement.isExact() ? statement.given() : List.of());
        assertThat(rows.changed() != null)
                .as("existing rows of " + sql)
                .isEqualTo(statement.isExact() && (statement.writes || !statement.inserts));
        assertThat(rows.adds())
                .as(sql)
                .isEqualTo(
                        !onlyAdds
                                ? Effect.Rows.Adds.MAY_CHANGE
                                : statement.adds() && statement.sameForAll()
                                        ? Effect.Rows.Adds.PLAIN_ROW
                                        : Effect.Rows.Adds.ROWS);
        return effect;
    }
}
