package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;

/** Readers of all dialects on recorded answers of their stores. */
final class RecordedCatalogTest {
    private static final String BYTES = "utf8mb4_0900_bin";

    private static RecordedRows doris() {
        return new RecordedRows("doris-4.0.txt");
    }

    private static Reading read(Dialect dialect, CatalogRows rows) throws ReadFailure {
        return StoreReader.of(dialect, "keyline").read(rows, StoreReader.Interlude.NONE);
    }

    private static TableSchema table(Reading reading, String table) {
        return requireNonNull(reading.tables().get(new TableName("shop", table)), table)
                .schema();
    }

    @ParameterizedTest
    @CsvSource({
        "doris-4.0.txt, DORIS",
        "starrocks-3.3.txt, STARROCKS",
        "starrocks-3.5.txt, STARROCKS",
        "mysql-8.4.txt, MYSQL"
    })
    void dialect_ofWhatAStoreSaysOfItself_isItsOwn(String resource, Dialect dialect) throws ReadFailure {
        CatalogRows rows = new RecordedRows(resource);
        Map<String, String> said = new HashMap<>();
        rows.query("SHOW VARIABLES LIKE 'version%'", row -> said.put(row.required(1), row.required(2)));
        String comment = said.getOrDefault("version_comment", "");
        assertThat(StoreConnection.dialect(rows, said.getOrDefault("version", ""), comment))
                .isEqualTo(dialect);
    }

    /** Builds and vendors give their stores any name. */
    @Test
    void dialect_ofAnotherName_isDetectedByVariables() throws ReadFailure {
        assertThat(StoreConnection.dialect(new RecordedRows("doris-3.0.txt"), "5.7.99", "Warehouse 1.2"))
                .isEqualTo(Dialect.DORIS);
        assertThat(StoreConnection.dialect(new RecordedRows("starrocks-3.5.txt"), "8.0.33", "Warehouse 1.2"))
                .isEqualTo(Dialect.STARROCKS);
        CatalogRows none = (sql, taker) -> {};
        assertThat(StoreConnection.dialect(none, "8.0.33", "Warehouse 1.2")).isEqualTo(Dialect.OTHER);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "RecordedCatalogTest.dialect_ofOtherVersions_isMySqlOnlyWhereTheyAreOne.txt",
            delimiter = '|',
            quoteCharacter = '\'')
    void dialect_ofOtherVersions_isMySqlOnlyWhereTheyAreOne(String version, String comment, Dialect dialect) {
        assertThat(Dialect.of(version, comment)).isEqualTo(dialect);
    }

    @Test
    void other_textColumns_haveNoCollationThatIsKnown_andTheirCharacterSet() throws ReadFailure {
        Reading reading = read(Dialect.OTHER, new RecordedRows("mysql-8.4.txt"));
        assertThat(reading.tables().values().stream()
                        .flatMap(table -> table.schema().columns().stream())
                        .filter(column -> column.type().kind() == Kind.VARCHAR))
                .isNotEmpty()
                .allMatch(column -> "utf8mb4_unknown".equals(column.type().collation()));
        assertThat(Dialect.OTHER.collation("latin1_bin")).isNull();
    }

    /** A server without accounts may have no answer to SHOW GRANTS. */
    @Test
    void other_storeThatRefusesToShowRights_isStillRead_andItsWriteScopeIsUnknown() throws ReadFailure {
        RecordedRows rows = new RecordedRows("mysql-8.4.txt")
                .with("SHOW GRANTS", "! database not found: mysql")
                .with("information_schema.VIEWS", "TABLE_NAME\tVIEW_DEFINITION");
        Reading reading = read(Dialect.OTHER, rows);
        assertThat(table(reading, "users").model()).isEqualTo(TableModel.UNIQUE);
        assertThat(reading.tables().values()).allMatch(table -> table.schema().writeScope() == WriteScope.ANYWHERE);
        assertThat(reading.code().functions()).isTrue();
        assertThat(reading.code().triggers()).isTrue();
        // A known store has rights, so it is an error if they are hidden.
        assertThatThrownBy(() -> read(Dialect.MYSQL, rows)).isInstanceOf(ReadFailure.class);
    }

    @Test
    void doris_uniqueTable_hasKeyBucketsTypesAndProperties() throws ReadFailure {
        TableSchema orders = table(read(Dialect.DORIS, doris()), "orders");
        assertThat(orders.model()).isEqualTo(TableModel.UNIQUE);
        assertThat(orders.writeScope()).isEqualTo(WriteScope.ROWS);
        assertThat(orders.keyColumns()).containsExactly(0, 1, 2, 3);
        assertThat(orders.bucketColumns()).containsExactly(1, 0);
        assertThat(orders.comment()).isEqualTo("all orders");
        assertThat(orders.properties())
                .containsEntry("store_row_column", "true")
                .containsEntry("light_schema_change", "true")
                .containsEntry("enable_unique_key_merge_on_write", "true");
        assertThat(orders.columns().stream().map(ColumnSchema::type))
                .containsExactly(
                        ColumnType.of(Kind.INT),
                        ColumnType.of(Kind.LARGEINT),
                        new ColumnType(Kind.VARCHAR, false, 20, 0, BYTES),
                        ColumnType.of(Kind.DATE),
                        new ColumnType(Kind.DATETIME, false, 0, 3, null),
                        new ColumnType(Kind.DECIMAL, false, 27, 9, null),
                        new ColumnType(
                                Kind.ARRAY,
                                false,
                                0,
                                0,
                                null,
                                List.of(new ColumnType.Field(
                                        "", new ColumnType(Kind.TEXT, false, Integer.MAX_VALUE, 0, null)))),
                        new ColumnType(Kind.TEXT, false, Integer.MAX_VALUE, 0, BYTES),
                        new ColumnType(Kind.BOOLEAN, false, 1, 0, null),
                        ColumnType.of(Kind.BIGINT));
        assertThat(orders.columns().get(2).comment()).isEqualTo("the \"code\"");
        assertThat(orders.columns().get(9).autoIncrement()).isTrue();
    }

    @Test
    void doris_otherModels_areRead_andUnreadTablesAreExcluded() throws ReadFailure {
        Reading reading = read(Dialect.DORIS, doris());
        assertThat(table(reading, "events").model()).isEqualTo(TableModel.DUPLICATE);
        assertThat(table(reading, "sums").model()).isEqualTo(TableModel.AGGREGATE);
        assertThat(reading.tables().keySet().stream().map(TableName::table))
                .containsExactlyInAnyOrder("orders", "events", "sums", "private", "odd", "gone");
        assertThat(reading.code().functions()).isFalse();
        // It may have been dropped since it was listed.
        assertThat(reading.remarks()).isEmpty();
        TableSchema gone = table(reading, "gone");
        assertThat(gone.excluded()).isEqualTo(ForwardReason.DEFINITION_UNREAD);
        assertThat(gone.writeScope()).isEqualTo(WriteScope.TABLE);
    }

    @Test
    void doris_definitionThatIsRefusedTwice_isRemarkedByName() throws ReadFailure {
        StoreReader reader = StoreReader.of(Dialect.DORIS, "keyline");
        reader.read(doris(), StoreReader.Interlude.NONE);
        assertThat(reader.read(doris(), StoreReader.Interlude.NONE).remarks())
                .hasSize(1)
                .first()
                .asString()
                .contains("shop.gone", "Unknown table", "GRANT SELECT_PRIV ON internal.*.* TO 'keyline'@'%'");
    }

    /** A table with a row policy has no lines at all. */
    @Test
    void dorisTableUnderARowPolicy_hasNoKey() throws ReadFailure {
        TableSchema hidden = table(read(Dialect.DORIS, doris()), "private");
        assertThat(hidden.model()).isEqualTo(TableModel.NONE);
        assertThat(hidden.excluded()).isEqualTo(ForwardReason.ROW_POLICY);
    }

    /** Only the policies that the store reports count, not the statements that create them. */
    @Test
    void dorisPolicyThatComes_isAChangeOfTheDefinition() throws ReadFailure {
        Reading before = read(Dialect.DORIS, doris());
        Reading after = read(
                Dialect.DORIS,
                doris().plus(
                                "SHOW ROW POLICY",
                                "p2\tinternal\tshop\torders\tROW\tRESTRICTIVE\t1 = 0\tbob\t\\N\tCREATE"));
        assertThat(table(after, "orders").model()).isEqualTo(TableModel.NONE);
        KnownTables known = new KnownTables();
        long first = id(known.snapshot(before), "orders");
        long events = id(known.snapshot(before), "events");
        Snapshot changed = known.snapshot(after);
        assertThat(id(changed, "orders")).isNotEqualTo(first);
        assertThat(id(changed, "events")).isEqualTo(events);
    }

    private static long id(Snapshot snapshot, String table) {
        return requireNonNull(snapshot.table("shop", table)).id();
    }

    /** Invisible objects are assumed to exist. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SHOW ROW POLICY|! Access denied; you need (at least one of) the ADMIN privilege(s) for this operation",
                "ADMIN SHOW FRONTEND CONFIG LIKE 'access_controller_type'|! Access denied",
            })
    void doris_accountThatMayNotSeePolicies_cachesNothing(String query, String answer) throws ReadFailure {
        Reading reading = read(Dialect.DORIS, doris().with(query, answer));
        assertThat(table(reading, "orders").model()).isEqualTo(TableModel.NONE);
        assertThat(table(reading, "orders").excluded()).isEqualTo(ForwardReason.POLICIES_UNSEEN);
        assertThat(reading.remarks())
                .hasSize(1)
                .first()
                .asString()
                .contains("GRANT ADMIN_PRIV ON *.*.* TO 'keyline'@'%'");
    }

    @Test
    void doris_underRanger_cachesNothing() throws ReadFailure {
        Reading reading = read(
                Dialect.DORIS,
                doris().with(
                                "ADMIN SHOW FRONTEND CONFIG LIKE 'access_controller_type'",
                                "Key\tValue\tType",
                                "access_controller_type\tranger-doris\tString"));
        assertThat(table(reading, "orders").model()).isEqualTo(TableModel.NONE);
        assertThat(reading.remarks()).hasSize(1);
    }

    /**
     * One variable for a whole frontend, which a session for loads cannot reset; a newer frontend
     * makes the session query it.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|cloud|some_other|0",
                "500|cloud|some_other|500",
                "500|CLOUD|some_other|500",
                "500|! Access denied|some_other|500",
                "500|''|some_other|0",
                "500|cloud|cloud_force_sync_version|0",
            })
    void doris_cachedVersions_areReportedInComputeStorageMode(String millis, String mode, String other, long expected)
            throws ReadFailure {
        RecordedRows rows = doris().with(
                        "SHOW VARIABLES",
                        "Variable_name\tValue",
                        "cloud_partition_version_cache_ttl_ms\t" + millis,
                        other + "\tfalse");
        String question = "ADMIN SHOW FRONTEND CONFIG LIKE 'deploy_mode'";
        RecordedRows store = mode.startsWith("!")
                ? rows.with(question, mode)
                : rows.with(question, "Key\tValue", "deploy_mode\t" + mode);
        assertThat(StoreConnection.versionAge(store, Dialect.DORIS).toMillis()).isEqualTo(expected);
    }

    @Test
    void doris_lostConnection_isAFailureAndNoPolicy() {
        CatalogRows lost = (sql, taker) -> {
            if (sql.equals("SHOW ROW POLICY")) {
                throw new ReadFailure(false, "gone", new java.io.IOException("gone"));
            }
            doris().query(sql, taker);
        };
        assertThatThrownBy(() -> read(Dialect.DORIS, lost)).isInstanceOf(ReadFailure.class);
    }

    /** Dynamic partitions are added every day. */
    @Test
    void doris_partitionThatComes_isNoChange() throws ReadFailure {
        RecordedRows rows = doris();
        Reading before = read(Dialect.DORIS, rows);
        rows.replacing("SHOW CREATE TABLE `shop`.`orders`", "PARTITION p20260101 VALUES", "PARTITION p1 VALUES");
        assertThat(read(Dialect.DORIS, rows)).isEqualTo(before);
        rows.replacing("SHOW CREATE TABLE `shop`.`orders`", "`n` bigint", "`n2` bigint");
        assertThat(read(Dialect.DORIS, rows)).isNotEqualTo(before);
    }

    @Test
    void doris_foldedTableNames_leaveSchemasExact() throws ReadFailure {
        Reading reading = read(
                Dialect.DORIS, doris().replacing("SHOW VARIABLES LIKE 'lower_case_table_names'", "\t0\t0", "\t2\t0"));
        Snapshot snapshot = new KnownTables().snapshot(reading);
        assertThat(snapshot.table("shop", "ORDERS")).isNotNull();
        assertThat(snapshot.table("SHOP", "orders")).isNull();
    }

    @Test
    void starrocks_primaryKeyTable_isUnique() throws ReadFailure {
        Reading reading = read(Dialect.STARROCKS, new RecordedRows("starrocks-3.3.txt"));
        TableSchema orders = table(reading, "orders");
        assertThat(orders.model()).isEqualTo(TableModel.UNIQUE);
        assertThat(orders.keyColumns()).containsExactly(0, 1);
        assertThat(orders.bucketColumns()).containsExactly(1);
        assertThat(orders.columns().get(2).type()).isEqualTo(new ColumnType(Kind.VARCHAR, false, 64, 0, BYTES));
        assertThat(orders.columns().get(3).type()).isEqualTo(new ColumnType(Kind.DECIMAL, false, 10, 2, null));
        assertThat(orders.properties()).containsEntry("storage_type", "COLUMN_WITH_ROW");
        assertThat(table(reading, "uniques").model()).isEqualTo(TableModel.UNIQUE);
        assertThat(reading.tables()).hasSize(2);
        assertThat(reading.code().functions()).isFalse();
    }

    @Test
    void starrocks_underRangerOrWithoutOperate_cachesNothing() throws ReadFailure {
        String query = "ADMIN SHOW FRONTEND CONFIG LIKE 'access_control'";
        for (String[] answer : List.of(
                new String[] {"Key\tValue", "access_control\tranger"},
                new String[] {"! Access denied; you need (at least one of) the OPERATE privilege(s)"})) {
            Reading reading = read(Dialect.STARROCKS, new RecordedRows("starrocks-3.3.txt").with(query, answer));
            assertThat(table(reading, "orders").model()).isEqualTo(TableModel.NONE);
            assertThat(table(reading, "orders").excluded()).isEqualTo(ForwardReason.POLICIES_UNSEEN);
            assertThat(reading.remarks()).hasSize(2);
        }
    }

    @Test
    void starrocks_databaseThatTheAccountDoesNotSee_isRemarkedWithTheGrant() throws ReadFailure {
        assertThat(read(Dialect.STARROCKS, new RecordedRows("starrocks-3.3.txt"))
                        .remarks())
                .hasSize(1)
                .first()
                .asString()
                .contains(" hidden. ", "GRANT SELECT ON ALL TABLES IN ALL DATABASES TO USER 'keyline'@'%'");
        Reading operator = read(
                Dialect.STARROCKS,
                new RecordedRows("starrocks-3.3.txt").with("SHOW DATABASES", "Database", "information_schema"));
        assertThat(operator.remarks()).anyMatch(remark -> remark.contains("sees no table"));
    }

    /**
     * Definitions that the reader of CREATE TABLE does not accept: generated columns, partitions by
     * expressions, comments with quotes.
     */
    @Test
    void starrocks_recordedDefinitions_areAllRead() throws ReadFailure {
        Reading reading = read(Dialect.STARROCKS, new RecordedRows("starrocks-3.5.txt"));
        assertThat(reading.remarks()).isEmpty();
        assertThat(reading.tables().values())
                .allMatch(table -> table.schema().model() == TableModel.UNIQUE)
                .allMatch(table -> table.schema().writeScope() == WriteScope.ROWS);
        assertThat(columns(reading, "cm")).containsExactly("k", "v", "w");
        assertThat(columns(reading, "mc")).containsExactly("k", "y", "z");
        assertThat(columns(reading, "gen")).containsExactly("k", "v", "s", "primary_note", "g");
        assertThat(columns(reading, "exp1")).containsExactly("k", "i", "c", "v");
        assertThat(columns(reading, "st")).hasSize(11);
        assertThat(named(reading, "st").columns().get(1).type())
                .isEqualTo(new ColumnType(
                        Kind.STRUCT,
                        false,
                        0,
                        0,
                        null,
                        List.of(
                                new ColumnType.Field("a", ColumnType.of(Kind.INT)),
                                new ColumnType.Field("b", new ColumnType(Kind.VARCHAR, false, 65_533, 0, null)),
                                new ColumnType.Field(
                                        "c",
                                        new ColumnType(
                                                Kind.ARRAY,
                                                false,
                                                0,
                                                0,
                                                null,
                                                List.of(new ColumnType.Field("", ColumnType.of(Kind.INT))))))));
        assertThat(named(reading, "exp1").keyColumns()).containsExactly(0, 1, 2);
        assertThat(named(reading, "dt").keyColumns()).containsExactly(0, 1);
        assertThat(columns(reading, "odd")).containsExactly("ky", "v w");
    }

    @Test
    void doris_recordedDefinitions_areAllRead() throws ReadFailure {
        Reading reading = read(Dialect.DORIS, new RecordedRows("doris-3.0.txt"));
        assertThat(reading.remarks()).isEmpty();
        assertThat(reading.tables().values())
                .filteredOn(table -> table.schema().model() != TableModel.UNIQUE)
                .extracting(table ->
                        table.schema().name().table() + " " + table.schema().excluded())
                .containsExactly("ck ROW_POLICY");
        assertThat(columns(reading, "cm")).containsExactly("k", "v", "w");
        assertThat(columns(reading, "gen")).containsExactly("k", "v", "g", "s", "n");
        assertThat(columns(reading, "gs")).containsExactly("k", "v", "g");
        assertThat(columns(reading, "bmu")).containsExactly("k", "b", "h", "q");
        assertThat(columns(reading, "ai")).containsExactly("id", "k", "v", "t", "d", "e", "p");
        assertThat(named(reading, "ai").columns().get(0).autoIncrement()).isTrue();
        assertThat(named(reading, "gen").writeScope()).isEqualTo(WriteScope.ROWS);
        // An INSERT without column names has no value for the computed one.
        assertThat(named(reading, "genk").writeScope()).isEqualTo(WriteScope.TABLE);
        assertThat(named(reading, "genk").keyColumns()).containsExactly(0, 1);
        assertThat(named(reading, "dx").columns().get(2).type())
                .isEqualTo(new ColumnType(Kind.VARCHAR, false, 20, 0, BYTES));
    }

    /** A later release shows this default, and has the type. */
    @ParameterizedTest
    @CsvSource({"bitmap NOT NULL DEFAULT BITMAP_EMPTY", "timestamptz(6) NULL DEFAULT CURRENT_TIMESTAMP(6)"})
    void doris_columnOfALaterRelease_isRead(String column) throws ReadFailure {
        RecordedRows rows = new RecordedRows("doris-3.0.txt")
                .replacing("SHOW CREATE TABLE `dd`.`bmu`", "`b` bitmap NOT NULL", "`b` " + column);
        Reading reading = read(Dialect.DORIS, rows);
        assertThat(reading.remarks()).isEmpty();
        assertThat(named(reading, "bmu").excluded()).isNull();
        assertThat(columns(reading, "bmu")).containsExactly("k", "b", "h", "q");
    }

    /**
     * A user who may define a table may write a comment that resembles the end of another
     * definition.
     */
    @Test
    void definition_whoseCommentHasTheEndOfColumns_isExcluded() throws ReadFailure {
        RecordedRows rows = new RecordedRows("doris-3.0.txt")
                .replacing(
                        "SHOW CREATE TABLE `dd`.`cm`",
                        "COMMENT 'it's'",
                        "COMMENT 'it's\\n) ENGINE=OLAP\\nUNIQUE KEY(`k`)\\n'");
        Reading reading = read(Dialect.DORIS, rows);
        assertThat(named(reading, "cm").excluded()).isEqualTo(ForwardReason.DEFINITION_UNREAD);
        assertThat(reading.remarks())
                .hasSize(1)
                .first()
                .asString()
                .contains("dd.cm", "Keyline cannot parse its definition");
        assertThat(named(reading, "gen").excluded()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"doris-3.0.txt, DORIS, 6", "starrocks-3.5.txt, STARROCKS, 4"})
    void definitions_whoseColumnsAreListedAsBefore_areAskedForOneAtATime(
            String resource, Dialect dialect, int statements) throws ReadFailure {
        StoreReader reader = StoreReader.of(dialect, "keyline");
        Reading first = reader.read(new RecordedRows(resource), StoreReader.Interlude.NONE);
        int tables = first.tables().size();
        Set<String> asked = new HashSet<>();
        for (int i = 0; i < tables; i++) {
            RecordedRows rows = new RecordedRows(resource);
            assertThat(reader.read(rows, StoreReader.Interlude.NONE)).isEqualTo(first);
            List<String> shown = shown(rows);
            assertThat(shown).hasSize(1);
            assertThat(asked.add(shown.get(0))).as(shown.get(0)).isTrue();
            boolean lists = rows.asked().contains("SHOW FULL TABLES FROM `dd`");
            assertThat(rows.asked().size() <= statements).as("%s", rows.asked()).isNotEqualTo(lists);
        }
        assertThat(asked).hasSize(tables);
    }

    @ParameterizedTest
    @CsvSource({
        "doris-3.0.txt, DORIS, idx\t2\tv, idx\t2\tvv",
        "doris-3.0.txt, DORIS, idx\t1\tk\t\\N\tNO, idx\t1\tk\t\\N\tYES",
        "doris-3.0.txt, DORIS, gs\t2\tv\t\\N\tYES\tvarchar\tvarchar(20), gs\t2\tv\t\\N\tYES\tvarchar\tvarchar(30)",
        "starrocks-3.5.txt, STARROCKS, idx\t2\tv, idx\t2\tvv",
        "starrocks-3.5.txt, STARROCKS, idx\t1\tk, idx\t3\tk",
    })
    void definition_whoseColumnsAreListedInAnotherWay_isAskedForAtOnce(
            String resource, Dialect dialect, String before, String after) throws ReadFailure {
        StoreReader reader = StoreReader.of(dialect, "keyline");
        reader.read(new RecordedRows(resource), StoreReader.Interlude.NONE);
        String table = before.substring(0, before.indexOf('\t'));
        RecordedRows rows = new RecordedRows(resource).replacing("information_schema.columns", before, after);
        reader.read(rows, StoreReader.Interlude.NONE);
        assertThat(shown(rows))
                .contains("SHOW CREATE TABLE `dd`.`" + table + "`")
                .hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void definitions_ofWhichAStatementWentThroughKeyline_areAskedFor_whateverIsListed() throws ReadFailure {
        StoreReader reader = StoreReader.of(Dialect.STARROCKS, "keyline");
        RecordedRows rows = new RecordedRows("starrocks-3.5.txt");
        Reading first = reader.read(rows, StoreReader.Interlude.NONE);
        RecordedRows changed = new RecordedRows("starrocks-3.5.txt");
        reader.read(changed, Set.of(new TableName("dd", "st"), new TableName("dd", "dt")), first);
        assertThat(shown(changed)).contains("SHOW CREATE TABLE `dd`.`st`", "SHOW CREATE TABLE `dd`.`dt`");
        reader.forget();
        RecordedRows all = new RecordedRows("starrocks-3.5.txt");
        reader.read(all, StoreReader.Interlude.NONE);
        assertThat(shown(all)).hasSize(first.tables().size());
    }

    /** A backend answers that query, and the definitions must be known without one. */
    @Test
    void definitions_whereColumnsCannotBeListed_areAskedForEachTime() throws ReadFailure {
        StoreReader reader = StoreReader.of(Dialect.DORIS, "keyline");
        Reading first = reader.read(new RecordedRows("doris-3.0.txt"), StoreReader.Interlude.NONE);
        RecordedRows down = new RecordedRows("doris-3.0.txt").with("information_schema.columns", "! no backend");
        assertThat(reader.read(down, StoreReader.Interlude.NONE)).isEqualTo(first);
        assertThat(shown(down)).hasSize(first.tables().size());
        RecordedRows next = new RecordedRows("doris-3.0.txt");
        assertThat(reader.read(next, StoreReader.Interlude.NONE)).isEqualTo(first);
        assertThat(shown(next))
                .as("the question is not repeated at once")
                .hasSize(first.tables().size());
    }

    private static List<String> shown(RecordedRows rows) {
        return rows.asked().stream()
                .filter(sql -> sql.startsWith("SHOW CREATE TABLE"))
                .toList();
    }

    private static List<String> columns(Reading reading, String table) {
        return named(reading, table).columns().stream().map(ColumnSchema::name).toList();
    }

    private static TableSchema named(Reading reading, String table) {
        return requireNonNull(reading.tables().get(new TableName("dd", table)), table)
                .schema();
    }

    @Test
    void mysql_tables_areRead() throws ReadFailure {
        Reading reading = read(Dialect.MYSQL, new RecordedRows("mysql-8.4.txt"));
        TableSchema users = table(reading, "users");
        assertThat(users.model()).isEqualTo(TableModel.UNIQUE);
        assertThat(users.cascades()).extracting(TableName::table).containsExactly("remote");
        assertThat(users.columns().stream().map(ColumnSchema::name))
                .containsExactly("id", "Name", "raw", "amount", "made", "token", "doc");
        assertThat(users.columns().stream().map(ColumnSchema::type))
                .containsExactly(
                        new ColumnType(Kind.BIGINT, true, 0, 0, null),
                        new ColumnType(Kind.VARCHAR, false, 50, 0, "utf8mb4_0900_ai_ci"),
                        new ColumnType(Kind.VARCHAR, false, 9, 0, BYTES),
                        new ColumnType(Kind.DECIMAL, false, 12, 2, null),
                        new ColumnType(Kind.TIMESTAMP, false, 0, 3, null),
                        new ColumnType(Kind.VARCHAR, false, 36, 0, "utf8mb4_0900_ai_ci"),
                        ColumnType.of(Kind.JSON));
        assertThat(users.columns().stream().map(ColumnSchema::defaultSql))
                .containsExactly(null, "'it''s'", null, "0.00", "CURRENT_TIMESTAMP(3)", "uuid()", null);
        assertThat(table(reading, "generated").model()).isEqualTo(TableModel.NONE);
        assertThat(table(reading, "gipk").model()).isEqualTo(TableModel.NONE);
        assertThat(table(reading, "remote").writeScope()).isEqualTo(WriteScope.ANYWHERE);
        assertThat(table(reading, "broken").model()).isEqualTo(TableModel.NONE);
        assertThat(reading.code().functions()).isFalse();
    }

    @Test
    void mysql_tableOnAnotherServer_isNotOpened_evenIfAnotherSchemaHasItsName() throws ReadFailure {
        RecordedRows rows = new RecordedRows("mysql-8.4.txt")
                .plus("information_schema.TABLES", "other\tremote\tBASE TABLE\tInnoDB\tutf8mb4_0900_ai_ci\t");
        List<String> ofOther = new ArrayList<>();
        Reading reading = read(Dialect.MYSQL, (sql, taker) -> {
            if (sql.contains("= 'other'")) {
                ofOther.add(sql);
            } else {
                rows.query(sql, taker);
            }
        });
        assertThat(reading.tables()).containsKeys(new TableName("other", "remote"), new TableName("shop", "remote"));
        String indexes = "information_schema.STATISTICS";
        assertThat(ofOther).filteredOn(sql -> sql.contains(indexes)).hasSize(1);
        assertThat(rows.asked())
                .filteredOn(sql -> sql.contains(indexes))
                .singleElement()
                .asString()
                .contains("= 'shop'")
                .doesNotContain("'remote'");
    }

    @Test
    void mysql_secondUniqueKeyOverAnExpression_widensWrites() throws ReadFailure {
        RecordedRows rows = new RecordedRows("mysql-8.4.txt")
                .with("information_schema.REFERENTIAL_CONSTRAINTS", "UNIQUE_CONSTRAINT_SCHEMA\tREFERENCED_TABLE_NAME");
        assertThat(table(read(Dialect.MYSQL, rows), "users").writeScope()).isEqualTo(WriteScope.TABLE);
    }

    @Test
    void mysql_namesUnderRuleOne_areFolded() throws ReadFailure {
        Reading reading = read(Dialect.MYSQL, new RecordedRows("mysql-8.4.txt"));
        Snapshot snapshot = new KnownTables().snapshot(reading);
        assertThat(requireNonNull(snapshot.table("SHOP", "Users")).name()).isEqualTo(new TableName("shop", "users"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "GRANT SELECT ON *.* TO `k`@`%`|false|true",
                "GRANT SELECT, TRIGGER ON *.* TO `k`@`%`|true|true",
                "GRANT ALL PRIVILEGES ON *.* TO `k`@`%` WITH GRANT OPTION|true|true",
                "GRANT ALL PRIVILEGES ON `shop`.* TO `k`@`%`|false|false",
                "GRANT ALL PRIVILEGES ON *.* TO `k`@`%`;REVOKE TRIGGER ON `shop`.* FROM `k`@`%`|false|false",
                "GRANT `role`@`%` TO `k`@`%`|false|false",
                "GRANT PROXY ON ``@`%` TO `root`@`localhost` WITH GRANT OPTION|false|false",
            })
    void grants_ofTheAccount_showWhatItSees(String lines, boolean triggers, boolean functions) {
        Grants grants = Grants.of(List.of(lines.split(";", -1)));
        assertThat(grants.seesTriggers()).isEqualTo(triggers);
        assertThat(grants.seesFunctions()).isEqualTo(functions);
    }

    /**
     * A definition that was read in the middle of a change is left out until two readings agree.
     */
    @Test
    void confirmedBy_secondReadingThatDiffers_leavesTheTableOut() throws ReadFailure {
        RecordedRows rows = doris();
        Reading first = read(Dialect.DORIS, rows);
        rows.replacing("SHOW CREATE TABLE `shop`.`events`", "`v` varchar(65533)", "`w` varchar(65533)");
        Reading confirmed = first.confirmedBy(read(Dialect.DORIS, rows));
        assertThat(confirmed.tables()).hasSize(first.tables().size() - 1);
        assertThat(confirmed.tables()).doesNotContainKey(new TableName("shop", "events"));
        // Writes to others may cascade from it to further ones.
        assertThat(new KnownTables().snapshot(confirmed).writeScopeUnknown()).isTrue();
        assertThat(new KnownTables().snapshot(first).writeScopeUnknown()).isFalse();
        assertThat(first.confirmedBy(first)).isEqualTo(first);
    }

    @Test
    void snapshot_twoNamesThatFoldToOne_areBothUnknown() {
        TableSchema one = schema("T");
        TableSchema other = schema("t");
        Reading reading = Reading.of(
                List.of(new ListedTable(one, "1"), new ListedTable(other, "2")),
                StoredCode.NONE,
                NameRule.FOLDED,
                java.util.Set.of(),
                java.util.Set.of());
        Snapshot snapshot = new KnownTables().snapshot(reading);
        assertThat(snapshot.table("d", "t")).isNull();
        assertThat(NameRule.FOLDED.key("D", "\u212A")).as("Kelvin is no k").isNotEqualTo(NameRule.FOLDED.key("d", "k"));
    }

    private static TableSchema schema(String name) {
        return new TableSchema(
                new TableName("d", name), 0, TableModel.NONE, List.of(), List.of(), List.of(), "", Map.of());
    }
}
