package org.keyline.gateway.config;

import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A key of the configuration, as declared in {@link ConfigKeys}. Compared by identity. */
public final class ConfigKey<T> {
    static final String USER = "users[]";

    static final String TABLE = "tables.DB.TABLE";

    /** Matches the user, password and parameters of an address. Messages mask them as secrets. */
    private static final Pattern CREDENTIALS = Pattern.compile("(?<=//).*@|(?<=[?]).+", Pattern.DOTALL);

    private final String path;
    private final ValueType<T> type;
    private final String fallbackWords;
    private final @Nullable Function<ConfigSection, String> fallback;
    private String sentence = "";
    private boolean constant;
    private @Nullable String option;
    private @Nullable String variable;
    private @Nullable ConfigKey<?> file;
    private @Nullable String atRunTime;

    /**
     * @param path the dotted path; {@code users[]} stands for each user, {@code DB.TABLE} for a
     *     table
     * @param fallbackWords the default in words
     * @param fallback the default, which may depend on other keys; null if the key has none
     */
    ConfigKey(
            String path, ValueType<T> type, String fallbackWords, @Nullable Function<ConfigSection, String> fallback) {
        this.path = path;
        this.type = type;
        this.fallbackWords = fallbackWords;
        this.fallback = fallback;
    }

    ConfigKey<T> sentence(String description) {
        sentence = description;
        return this;
    }

    /** Declares that the default is the text of {@link #fallbackWords}. */
    ConfigKey<T> constant() {
        constant = true;
        return this;
    }

    /** Declares an option of the command {@code serve}, as a short form of {@code --set PATH=…}. */
    ConfigKey<T> option(String name) {
        option = name;
        return this;
    }

    /** Declares the environment variable that supplies the value if no other source does. */
    ConfigKey<T> variable(String name) {
        variable = name;
        return this;
    }

    /** Declares that the value of another key may be in the file that this key names. */
    ConfigKey<T> holds(ConfigKey<?> other) {
        other.file = this;
        return this;
    }

    /** Declares that the value can change at run time, by the statement {@code how}. */
    ConfigKey<T> live(String how) {
        atRunTime = how;
        return this;
    }

    public String path() {
        return path;
    }

    public ValueType<T> type() {
        return type;
    }

    public String sentence() {
        return sentence;
    }

    public String fallbackWords() {
        return fallbackWords;
    }

    /** Returns the text of the default; null if the key has none. */
    @Nullable
    String fallback(ConfigSection reading) {
        return fallback == null ? null : fallback.apply(reading);
    }

    boolean hasConstant() {
        return constant;
    }

    /** Returns whether Keyline never prints the value. */
    public boolean isSecret() {
        return type.label().equals(ValueType.SECRET);
    }

    public @Nullable String option() {
        return option;
    }

    public @Nullable String variable() {
        return variable;
    }

    /** Returns the key that names a file with this key's value; null if no such key exists. */
    @Nullable
    ConfigKey<?> file() {
        return file;
    }

    /** Returns how the value changes at run time; null if a change needs a restart. */
    public @Nullable String atRunTime() {
        return atRunTime;
    }

    /** Returns the section; empty at the top level. */
    public String section() {
        return path.substring(0, Math.max(0, path.lastIndexOf('.')));
    }

    /** Returns the last component of the path. */
    public String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    String shown(String value) {
        return isSecret() ? Secret.MASK : CREDENTIALS.matcher(value).replaceAll(Secret.MASK);
    }

    @Override
    public String toString() {
        return path;
    }
}
