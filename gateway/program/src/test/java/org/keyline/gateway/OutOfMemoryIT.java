package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.gateway.log.FatalErrors;

/**
 * An OutOfMemoryError that Java code throws ends the process wherever it is thrown, without an
 * option of the virtual machine.
 */
final class OutOfMemoryIT {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "handler, SELECT name FROM users WHERE user_id = 42",
        "task, SELECT 1",
        "load, SELECT name FROM users WHERE user_id = 42",
        "worker, KEYLINE RELOAD"
    })
    void error_endsTheProcess(String place, String statement) throws Exception {
        Path errors = directory.resolve("stderr");
        try (GatewayProcess gateway = GatewayProcess.startProgram(
                List.of("-cp", System.getProperty("java.class.path"), OutOfMemoryProgram.class.getName(), place),
                ProcessBuilder.Redirect.to(errors.toFile()))) {
            ask(gateway, statement);
            assertThat(gateway.await()).isEqualTo(FatalErrors.STATUS);
        }
        assertThat(Files.readString(errors)).contains("keyline: out of memory: the process stops");
    }

    /** Sends statements until the connection ends with the process. */
    private static void ask(GatewayProcess gateway, String statement) {
        try (TestClient client = TestClient.connect(gateway.address(), "demo")) {
            for (int i = 0; i < 10 && gateway.process().isAlive(); i++) {
                client.query(statement);
            }
        } catch (Exception ended) {
            // The client's error is not part of this test.
            assertThat(gateway.process().isAlive() || gateway.process().exitValue() == FatalErrors.STATUS)
                    .isTrue();
        }
    }
}
