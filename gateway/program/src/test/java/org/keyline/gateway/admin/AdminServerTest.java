package org.keyline.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Figures that cannot be computed. */
final class AdminServerTest {
    private final AtomicInteger asked = new AtomicInteger();

    private AdminServer server() throws Exception {
        return new AdminServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                false,
                null,
                new HttpAccess(() -> "", Set::of, true),
                this::figures,
                statements -> figures(),
                () -> CompletableFuture.completedFuture(new Health(0, false, null, false)));
    }

    /** Fails at first, with an error and with an exception. */
    private String figures() {
        return switch (asked.incrementAndGet()) {
            case 1 -> throw new StackOverflowError("of this test");
            case 2 -> throw new IllegalStateException("of this test");
            default -> "figures";
        };
    }

    private static HttpRequest request(AdminServer server, String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.address().getPort() + path))
                .build();
    }

    @Test
    void metrics_thatFail_areError500() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        try (AdminServer server = server()) {
            for (int status : new int[] {500, 500, 200}) {
                assertThat(http.send(request(server, "/metrics"), HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(status);
            }
        }
    }

    @Test
    void events_continueAfterFiguresThatFail() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        try (AdminServer server = server();
                Stream<String> lines = http.send(request(server, "/events"), HttpResponse.BodyHandlers.ofLines())
                        .body()) {
            assertThat(lines.findFirst()).contains("data: figures");
        }
    }
}
