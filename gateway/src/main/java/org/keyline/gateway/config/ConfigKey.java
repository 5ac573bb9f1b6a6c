package org.keyline.gateway.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A key of the configuration, as {@link ConfigKeys} declares it. Immutable.
 *
 * @param path dotted; {@code users[]} stands for each user, {@code DB.TABLE} for a table
 * @param fallback text of the default; null if it depends on something else
 * @param fallbackWords the default for people
 * @param secret whether its value is never printed
 * @param option of {@code serve}, short for {@code --set PATH=…}; or null
 * @param variable environment variable with the value if no other source has one; or null
 * @param atRunTime how a changed value takes effect at run time; null if it needs a restart
 * @param sentence describes the key
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
    /**
     * User and password, or parameters, in an address: they are not allowed there and may be
     * secrets.
     */
    private static final Pattern CREDENTIALS = Pattern.compile("(?<=//).*@|(?<=[?]).+", Pattern.DOTALL);

    static <T> ConfigKey<T> key(String path, ValueType<T> type, String fallback, String sentence) {
        return new ConfigKey<>(path, type, fallback, fallback, false, null, null, null, sentence);
    }

    /** Creates a key without default, or whose default depends on other keys or on the machine. */
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

    /** Returns a copy with a narrower range. */
    ConfigKey<T> within(ValueType<T> narrower) {
        return new ConfigKey<>(path, narrower, fallback, fallbackWords, secret, option, variable, atRunTime, sentence);
    }

    /** Returns the section of the key; empty for the file as a whole. */
    public String section() {
        int dot = path.lastIndexOf('.');
        return dot < 0 ? "" : path.substring(0, dot);
    }

    /** Returns the last name of the path. */
    public String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /** Returns a value in a printable form. */
    String shown(String value) {
        return secret ? Secret.MASK : CREDENTIALS.matcher(value).replaceAll(Secret.MASK);
    }

    @Override
    public String toString() {
        return path;
    }
}
