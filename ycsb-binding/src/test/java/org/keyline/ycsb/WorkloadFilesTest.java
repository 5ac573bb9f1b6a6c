package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WorkloadFilesTest {
    private static final List<String> PROPORTIONS = List.of(
            "readproportion", "updateproportion", "insertproportion", "scanproportion", "readmodifywriteproportion");

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c", "d", "e", "f"})
    void coreWorkload_isVerifiedAndOneKilobyteARecord(String letter) throws Exception {
        Properties properties = Ycsb.properties(List.of("-P", "workloads/workload" + letter));
        assertThat(properties)
                .containsEntry("workload", VerifiedWorkload.class.getName())
                .containsEntry("dataintegrity", "true")
                .containsEntry("recordcount", "100000")
                .containsEntry("fieldcount", "10")
                .containsEntry("fieldlength", "100");
        double sum = PROPORTIONS.stream()
                .map(properties::getProperty)
                .flatMap(Stream::ofNullable)
                .mapToDouble(Double::parseDouble)
                .sum();
        assertThat(sum).isEqualTo(1.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"in", "point"})
    void strategyWorkload_readsBackAsSettings(String shape) throws Exception {
        Properties properties =
                Ycsb.properties(List.of("-P", "workloads/strategy", "-p", "strategy.request.shape=" + shape, "-s"));
        StrategySettings settings = StrategySettings.of(properties);
        assertThat(settings.users()).isEqualTo(1_000);
        assertThat(settings.rows()).isEqualTo(200_000);
        assertThat(settings.points()).isEqualTo(shape.equals("point"));
    }
}
