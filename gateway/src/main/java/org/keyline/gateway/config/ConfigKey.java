package org.keyline.gateway.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration, as {@link ConfigKeys} declares it. Immutable.
 *
 * @param path dotted; {@code users[]} stands for each user, {@code DB.TABLE} for a table
 * @param fallback text of the default; null where it depends on something else
 * @param fallbackWords the default for people
 * @param secret whether its value is printed nowhere
 * @param option of {@code serve}, short for {@code --set PATH=…}; null: none
 * @param variable of the environment that has the value where nothing else has; null: none
 * @param atRunTime how a value that differs is set while the gateway runs; null: only by a restart
 * @param sentence what the key is for
 */
public record ConfigKey<T>(
        String path,
        ValueType<T> type,
        @Nullable String fallback,
        String fallbackWords,
        boolean secret,
        @Nullable String option,
        @Nullable String variable,
        @Nullable String atRunTime,
        String sentence) {
    /** User and password, or parameters, in a value that is an address: no place for them, so they may be secrets. */
    private static final Pattern CREDENTIALS = Pattern.compile("(?<=//).*@|(?<=[?]).+", Pattern.DOTALL);

    static <T> ConfigKey<T> key(String path, ValueType<T> type, String fallback, String sentence) {
        return new ConfigKey<>(path, type, fallback, fallback, false, null, null, null, sentence);
    }

    /** A key whose default depends on other keys or on the machine, or that has none. */
    static <T> ConfigKey<T> computed(String path, ValueType<T> type, String words, String sentence) {
        return new ConfigKey<>(path, type, null, words, false, null, null, null, sentence);
    }

    ConfigKey<T> asSecret() {
        return new ConfigKey<>(path, type, fallback, fallbackWords, true, option, variable, atRunTime, sentence);
    }

    ConfigKey<T> option(String name) {
        return new ConfigKey<>(path, type, fallback, fallbackWords, secret, name, variable, atRunTime, sentence);
    }

    ConfigKey<T> variable(String name) {
        return new ConfigKey<>(path, type, fallback, fallbackWords, secret, option, name, atRunTime, sentence);
    }

    ConfigKey<T> atRunTime(String how) {
        return new ConfigKey<>(path, type, fallback, fallbackWords, secret, option, variable, how, sentence);
    }

    /** The same key within a narrower range. */
    ConfigKey<T> within(ValueType<T> narrower) {
        return new ConfigKey<>(path, narrower, fallback, fallbackWords, secret, option, variable, atRunTime, sentence);
    }

    /** The mapping that the key stands in; empty for the file as a whole. */
    public String section() {
        int dot = path.lastIndexOf('.');
        return dot < 0 ? "" : path.substring(0, dot);
    }

    /** The last name of the path. */
    public String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /** A value as it may be printed. */
    String shown(String value) {
        return secret ? Secret.MASK : CREDENTIALS.matcher(value).replaceAll(Secret.MASK);
    }

    @Override
    public String toString() {
        return path;
    }
}
