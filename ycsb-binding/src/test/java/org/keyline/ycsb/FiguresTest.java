package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FiguresTest {
    private static final Figures FIGURES = new Figures("name", "threads", "queries/s")
            .row("a, \"quoted\"", 1L, 12_345.678)
            .row("a|b", 2L, 0.0123)
            .row("a|b", 4L, Double.NaN);

    @Test
    void markdown_alignsNumbersAndLeavesOutWhatIsMissing() {
        assertThat(FIGURES.markdown()).isEqualTo("""
                | name | threads | queries/s |
                |---|--:|--:|
                | a, "quoted" | 1 | 12,346 |
                | a\\|b | 2 | 0.0123 |
                | a\\|b | 4 |  |
                """);
    }

    @Test
    void csv_readBack_isTheSameTable() {
        String csv = FIGURES.csv();

        assertThat(csv).contains("\"a, \"\"quoted\"\"\",1,12345.7\n", "a|b,4,\n");
        assertThat(Figures.parse(csv.lines().toList()).csv()).isEqualTo(csv);
    }

    @Test
    void rowOfAnotherLength_isRefused() {
        assertThatThrownBy(() -> new Figures("a").row(1, 2)).hasMessageContaining("cells: 2 (expected: 1)");
        assertThatThrownBy(() -> FIGURES.first("b")).hasMessageContaining("column: b");
    }

    @Test
    void plots_arePictures(@TempDir Path directory) throws IOException {
        Path lines = directory.resolve("lines.png");
        Path bars = directory.resolve("bars.png");
        FIGURES.plotLines(lines, "title", "threads", "queries/s", "name");
        FIGURES.plotBars(bars, "title", "name", "y", "queries/s", "threads");

        assertThat(ImageIO.read(lines.toFile()).getWidth()).isEqualTo(900);
        assertThat(ImageIO.read(bars.toFile()).getWidth()).isEqualTo(900);
    }

    @Test
    void jmhResult_becomesARowForEachBenchmark() {
        Figures table = new Figures("mix", "structure", "threads", "operations/µs", "error", "processor ns/operation");
        LineCacheExperiment.convert(
                List.of(
                        "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Score Error (99.9%)\",\"Unit\",\"Param: kind\",\"Param: mix\"",
                        "\"o.k.ThreadsBenchmark.operation\",\"thrpt\",2,3,5.5,0.5,\"ops/us\",SHARDED,C",
                        "\"o.k.ThreadsBenchmark.operation:cpuNanos\",\"thrpt\",2,3,3000,NaN,\"#\",SHARDED,C",
                        "\"o.k.ThreadsBenchmark.operation:operations\",\"thrpt\",2,3,10,NaN,\"#\",SHARDED,C"),
                table);

        assertThat(table.csv()).endsWith("\nC,SHARDED,2,5.5,0.5,300\n");
    }
}
