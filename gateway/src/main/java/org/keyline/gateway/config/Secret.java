package org.keyline.gateway.config;

import static java.util.Objects.requireNonNull;

/**
 * A configured value that is printed nowhere. Immutable.
 *
 * @param value for whoever has to present it
 */
public record Secret(String value) {
    /** What stands for a secret wherever configuration is shown. */
    static final String MASK = "***";

    public Secret {
        requireNonNull(value, "value is null");
    }

    @Override
    public String toString() {
        return MASK;
    }
}
