package org.keyline.gateway.config;

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
    private final @Nullable Fallback fallback;
    private String sentence = "";
    private boolean secret;
    private @Nullable String option;
    private @Nullable String variable;
    private @Nullable ConfigKey<?> file;
    private @Nullable String atRunTime;

    /** The default of a key, which may depend on other keys and on the machine. */
    @FunctionalInterface
    interface Fallback {
        String text(ConfigSection reading);
    }

    record Constant(String value) implements Fallback {
        @Override
        public String text(ConfigSection reading) {
            return value;
        }
    }

    /**
     * @param path the dotted path; {@code users[]} stands for each user, {@code DB.TABLE} for a
     *     table
     * @param fallbackWords the default in words
     * @param fallback null if the key has no value by default
     */
    ConfigKey(String path, ValueType<T> type, String fallbackWords, @Nullable Fallback fallback) {
        this.path = path;
        this.type = type;
        this.fallbackWords = fallbackWords;
        this.fallback = fallback;
    }

    ConfigKey<T> sentence(String description) {
        sentence = description;
        return this;
    }

    /** Declares that Keyline never prints the value. */
    ConfigKey<T> secret() {
        secret = true;
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

    /** Declares that {@code KEYLINE SET} and {@code KEYLINE RELOAD} can change the value. */
    ConfigKey<T> live() {
        return live("`KEYLINE SET`");
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

    @Nullable
    Fallback fallback() {
        return fallback;
    }

    /** Returns whether the default is the constant text of {@link #fallbackWords}. */
    boolean hasConstant() {
        return fallback instanceof Constant;
    }

    public boolean isSecret() {
        return secret;
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

    /** Returns whether a reload may change the value. Changes of users may still be rejected. */
    boolean changesAtRunTime() {
        return atRunTime != null || section().equals(USER);
    }

    /** Returns the section; empty at the top level. */
    public String section() {
        int dot = path.lastIndexOf('.');
        return dot < 0 ? "" : path.substring(0, dot);
    }

    /** Returns the last component of the path. */
    public String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    boolean isOfEntries() {
        return section().equals(USER) || section().equals(TABLE);
    }

    String shown(String value) {
        return secret ? Secret.MASK : CREDENTIALS.matcher(value).replaceAll(Secret.MASK);
    }

    @Override
    public String toString() {
        return path;
    }
}
