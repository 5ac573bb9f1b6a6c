package org.keyline.gateway.admin;

import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Serves the page for operators, three files from the jar that load nothing from other sites. */
final class Page {
    /** The Content-Security-Policy. It allows only the page's own files, and no frames or forms. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, File> FILES = Map.of(
            "/", File.of("page.html", "text/html; charset=utf-8"),
            "/page.css", File.of("page.css", "text/css; charset=utf-8"),
            "/page.js", File.of("page.js", "text/javascript; charset=utf-8"));

    private Page() {}

    record File(String type, String text) {
        static File of(String name, String type) {
            try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream(name), name)) {
                return new File(type, new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException("the jar's " + name + " can't be read", e);
            }
        }
    }

    /** Returns the file of a path; null if the path is unknown. */
    static @Nullable File file(String path) {
        return FILES.get(path);
    }

    /** Adds headers that forbid scripts of other sites, framing by other sites, and caching. */
    static void guard(HttpHeaders headers) {
        headers.set("Content-Security-Policy", POLICY)
                .set("X-Content-Type-Options", "nosniff")
                .set("Referrer-Policy", "no-referrer")
                .set("Cache-Control", "no-store");
    }
}
