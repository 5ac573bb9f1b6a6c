package org.keyline.gateway.session.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ServerStatus;
import org.keyline.stores.ResetScope;
import org.keyline.stores.TransactionRules;

/** The effect of a session's statements on its hits. */
final class SessionSettingsTest {
    private final SessionSettings settings =
            new SessionSettings(Collation.UTF8MB4_GENERAL_CI, "shop", null, TransactionRules.CAREFUL, Set.of(), null);

    @ParameterizedTest
    @CsvFileSource(
            resources = "SessionSettingsTest.set_modelledOrHarmless_keepsHits.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void set_modelledOrHarmless_keepsHits(String sql) {
        accepted(StatementKind.SET, sql);
        assertThat(settings.whyForwarded()).isNull();
    }

    /** In Doris and StarRocks, a transaction contains writes only. */
    @ParameterizedTest
    @CsvSource({"BEGIN,BEGIN", "SET,SET autocommit = 0", "BEGIN,START TRANSACTION"})
    void hits_inATransactionWithoutReadView_areAllowed(StatementKind kind, String sql) {
        SessionSettings writesOnly = new SessionSettings(
                Collation.UTF8MB4_GENERAL_CI, "shop", null, TransactionRules.VIEWLESS, Set.of(), null);
        writesOnly.applied(SqlStatement.of(kind, bytes(sql)), true);
        assertThat(writesOnly.whyForwarded()).isNull();
        assertThat(writesOnly.hitsAllowed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"SCHEMA,false", "UNKNOWN,false", "SETTINGS_AND_STATEMENTS,true"})
    void resetConnection_whereItTakesLess_leavesWhatWasSet(ResetScope scope, boolean hits) {
        accepted(StatementKind.SET, "SET skip_delete_sign = true");
        settings.resetConnection(scope);
        assertThat(settings.hitsAllowed()).isEqualTo(hits);
        assertThat(settings.schema()).isEqualTo(hits ? "shop" : null);
    }

    @Test
    void changeUser_whereVariablesStay_leavesThem() {
        accepted(StatementKind.SET, "SET skip_delete_sign = true");
        settings.changeUser("other");
        assertThat(settings.hitsAllowed()).isFalse();
        assertThat(settings.schema()).isEqualTo("other");
    }

    @Test
    void set_variableOfTheStoreThatIsHarmless_keepsHits() {
        SessionSettings doris = new SessionSettings(
                Collation.UTF8MB4_GENERAL_CI,
                null,
                null,
                TransactionRules.VIEWLESS,
                Set.of("parallel_pipeline_task_num"),
                null);
        String set = "SET parallel_pipeline_task_num = 1";
        doris.applied(SqlStatement.of(StatementKind.SET, bytes(set)), true);
        assertThat(doris.hitsAllowed()).isTrue();
        accepted(StatementKind.SET, set);
        assertThat(settings.hitsAllowed()).isFalse();
    }

    @Test
    void unknownHandshakeCollation_isTheServersDefault() {
        assertThat(new SessionSettings(0, null, null, TransactionRules.CAREFUL, Set.of(), null).hitsAllowed())
                .isTrue();
        assertThat(new SessionSettings(
                                Collation.LATIN1_SWEDISH_CI, null, null, TransactionRules.CAREFUL, Set.of(), null)
                        .hitsAllowed())
                .isFalse();
    }

    @Test
    void status_ofATellingStore_winsOverStatements() {
        settings.status(ServerStatus.SERVER_STATUS_AUTOCOMMIT | ServerStatus.SERVER_STATUS_IN_TRANS);
        assertThat(settings.transactionOpen()).isTrue();
        settings.status(ServerStatus.SERVER_STATUS_AUTOCOMMIT);
        assertThat(settings.transactionOpen()).isFalse();
        accepted(StatementKind.BEGIN, "BEGIN");
        settings.status(0);
        assertThat(settings.transactionOpen()).isFalse();
    }

    /** A behaviour proposed for StarRocks: each reply has the flags of the reply before. */
    @Test
    void status_ofAStoreWithoutReadViews_thatLagsByOneReply_hidesNoTransaction() {
        int outside = ServerStatus.SERVER_STATUS_AUTOCOMMIT;
        int within = outside | ServerStatus.SERVER_STATUS_IN_TRANS;
        SessionSettings lagging = new SessionSettings(
                Collation.UTF8MB4_GENERAL_CI, "shop", null, TransactionRules.VIEWLESS, Set.of(), null);
        lagging.begins(outside);
        for (int round = 0; round < 2; round++) {
            replied(lagging, StatementKind.BEGIN, "BEGIN", outside);
            assertThat(lagging.transactionOpen()).isTrue();
            replied(lagging, StatementKind.UPDATE, "UPDATE t SET v = 1 WHERE k = 1", within);
            assertThat(lagging.transactionOpen()).isTrue();
            replied(lagging, StatementKind.USE, "USE shop", 0);
            assertThat(lagging.transactionOpen()).isTrue();
            replied(lagging, StatementKind.COMMIT, "COMMIT", within);
            replied(lagging, StatementKind.SELECT, "SELECT v FROM t WHERE k = 1", outside);
            assertThat(lagging.transactionOpen()).isFalse();
            assertThat(lagging.hitsAllowed()).isTrue();
        }
        replied(lagging, StatementKind.SET, "SET autocommit = 0", outside);
        replied(lagging, StatementKind.INSERT, "INSERT INTO t VALUES (2, 2)", within);
        assertThat(lagging.transactionOpen()).isTrue();
    }

    private static void replied(SessionSettings of, StatementKind kind, String sql, int flags) {
        of.applied(SqlStatement.of(kind, bytes(sql)), true);
        of.status(flags);
    }

    @Test
    void transaction_onAStoreWithoutFlags_followsStatements() {
        settings.status(0);
        assertThat(settings.hitsAllowed()).isTrue();
        accepted(StatementKind.BEGIN, "BEGIN");
        assertThat(settings.transactionOpen()).isTrue();
        accepted(StatementKind.COMMIT, "COMMIT AND CHAIN");
        assertThat(settings.transactionOpen()).isTrue();
        accepted(StatementKind.COMMIT, "COMMIT AND NO CHAIN");
        assertThat(settings.transactionOpen()).isFalse();
        accepted(StatementKind.BEGIN, "START TRANSACTION READ ONLY");
        accepted(StatementKind.ROLLBACK, "ROLLBACK");
        assertThat(settings.transactionOpen()).isFalse();
    }

    private void accepted(StatementKind kind, String sql) {
        byte[] bytes = bytes(sql);
        settings.applied(SqlStatement.of(kind, bytes), true);
    }

    private static byte[] bytes(String sql) {
        return sql.getBytes(StandardCharsets.UTF_8);
    }
}
