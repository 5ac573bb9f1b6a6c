package org.keyline.gateway.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.rowcache.TableStats;
import org.slf4j.LoggerFactory;

/**
 * The statements of the warm-up run the code of hits, loads and fences, and leave no state behind.
 */
@ExtendWith(LeakCheck.class)
final class WarmUpTest {
    @Test
    void run_statements_hitLoadAndFenceAndLogNothing() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        root.addAppender(logged);
        TableStats.Snapshot outcome;
        try {
            outcome = WarmUp.run();
        } finally {
            root.detachAppender(logged);
        }

        // As text and as prepared statement: the first of four reads is forwarded, the second one
        // loads its line.
        assertThat(outcome.loads()).isEqualTo(2);
        assertThat(outcome.hits()).isEqualTo(4);
        assertThat(outcome.fences()).isEqualTo(1);
        assertThat(logged.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.INFO));
    }
}
