package org.keyline.gateway.otlp;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.keyline.gateway.config.Secret;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One address of an OpenTelemetry collector, which may be away: that is told once. Confined to one thread. */
final class Collector {
    private static final Logger LOG = LoggerFactory.getLogger(Collector.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int SUCCESS = 2;

    private final String url;
    private final Secret token;
    private final String what;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private boolean failing;

    /**
     * @param token what it asks for; empty: nothing
     * @param what is sent, for the log
     */
    Collector(String url, Secret token, String what) {
        this.url = url;
        this.token = token;
        this.what = what;
    }

    /** Sends a body in JSON; false if it was not taken. */
    boolean send(byte[] body) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                    .timeout(TIMEOUT)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body));
            if (!token.value().isEmpty()) {
                request.header("Authorization", "Bearer " + token.value());
            }
            int status = client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            if (status / 100 != SUCCESS) {
                failed("it answers " + status);
                return false;
            }
            if (failing) {
                LOG.info("{}: {} are sent again", url, what);
                failing = false;
            }
            return true;
        } catch (IOException | RuntimeException e) {
            failed(e.toString());
        } catch (InterruptedException e) {
            // The gateway ends.
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void failed(String why) {
        if (!failing) {
            LOG.warn("{}: {} cannot be sent, the gateway goes on trying: {}", url, what, why);
            failing = true;
        }
    }
}
