package org.keyline.gateway.session.command;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.audit.AuditFigures;
import org.keyline.gateway.fixtures.ItemStore;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.session.state.StatementQuota;
import org.keyline.gateway.table.Statements;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget;

/** The places of PREPAREs to which the store never replies. */
final class PreparedStatementsTest {
    private static final int PLACES = 3;

    private final ItemStore store = new ItemStore();
    private final GatewayMetrics metrics = new GatewayMetrics(
            List::of,
            new PlanCache(new Planner(List.of()), store.catalog(), 1 << 20),
            new AuditFigures(),
            () -> SignalFigures.NONE,
            MemoryBudget.unlimited(),
            new Statements());
    private final StatementQuota quota = new StatementQuota(() -> PLACES, () -> PLACES, metrics);

    @AfterEach
    void close() {
        metrics.close();
        store.close();
    }

    private PreparedStatements session() {
        return new PreparedStatements(quota, MemoryAccount.unlimited());
    }

    private long taken() {
        return requireNonNull(metrics.status().get("Keyline_prepared_statements"));
    }

    @Test
    void preparesThatAreRefused_useOnePlaceOfASession() {
        PreparedStatements session = session();
        for (int i = 0; i < 2 * PLACES; i++) {
            assertThat(session.reserve()).isNull();
            assertThat(session.take(1_000)).isNull();
            assertThat(taken()).isOne();
        }
        session.clear();
        assertThat(taken()).isZero();
    }
}
