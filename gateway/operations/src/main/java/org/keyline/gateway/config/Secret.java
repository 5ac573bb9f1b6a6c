package org.keyline.gateway.config;

import static java.util.Objects.requireNonNull;

/** A configured value that Keyline never prints. Immutable. */
public record Secret(String value) {
    static final String MASK = "***";

    public Secret {
        requireNonNull(value, "value is null");
    }

    @Override
    public String toString() {
        return MASK;
    }
}
