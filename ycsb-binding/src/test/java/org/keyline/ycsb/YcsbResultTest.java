package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class YcsbResultTest {
    private static final YcsbResult RESULT = YcsbResult.parse(List.of(
            "Command line: -t -db x",
            "[OVERALL], RunTime(ms), 2000",
            "[OVERALL], Throughput(ops/sec), 500.5",
            "[READ], 50thPercentileLatency(us), 120",
            "[READ], 99thPercentileLatency(us), 900",
            "[READ], Return=OK, 990",
            "[READ], Return=NOT_FOUND, 3",
            "[VERIFY], Return=OK, 988",
            "[VERIFY], Return=UNEXPECTED_STATE, 2"));

    @Test
    void throughput_ofAllOperations() {
        assertThat(RESULT.throughput()).isEqualTo(500.5);
    }

    @Test
    void percentile_ofOneOperation() {
        assertThat(RESULT.percentile("READ", 50)).isEqualTo(120);
        assertThat(RESULT.percentile("READ", 99)).isEqualTo(900);
        assertThat(RESULT.percentile("SCAN", 99)).isNaN();
    }

    @Test
    void failed_countsWhateverIsNotOk() {
        assertThat(RESULT.failed()).isEqualTo(5);
        assertThat(RESULT.verified()).isEqualTo(988);
    }
}
