package org.keyline.gateway.config;

import org.jspecify.annotations.Nullable;

public interface ConfigValues {
    /** Returns the value of a key; null if the key has no value. */
    <T> @Nullable T find(ConfigKey<T> key);

    /** Returns the value of a key that has a default. */
    default <T> T get(ConfigKey<T> key) {
        T value = find(key);
        if (value == null) {
            throw new IllegalStateException("no value: " + key);
        }
        return value;
    }
}
