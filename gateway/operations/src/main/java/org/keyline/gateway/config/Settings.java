package org.keyline.gateway.config;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The values of one scope, such as a table. The parent scope has all other values. Immutable. */
public final class Settings implements ConfigValues {
    static final Settings NONE = new Settings(null, Map.of());

    private final @Nullable Settings parent;
    private final Map<ConfigKey<?>, Setting> own;

    Settings(@Nullable Settings parent, Map<ConfigKey<?>, Setting> own) {
        this.parent = parent;
        this.own = Map.copyOf(own);
    }

    @Override
    @SuppressWarnings("unchecked") // the key's type has read it
    public <T> @Nullable T find(ConfigKey<T> key) {
        Setting setting = setting(key);
        return setting == null ? null : (T) setting.content();
    }

    private @Nullable Setting setting(ConfigKey<?> key) {
        Setting setting = own.get(key);
        return setting == null && parent != null ? parent.setting(key) : setting;
    }

    Setting of(ConfigKey<?> key) {
        return Objects.requireNonNull(setting(key), key::path);
    }

    /** Returns the full path of a key, with the names of the table or the number of the user. */
    String path(ConfigKey<?> key) {
        return of(key).path();
    }

    Collection<Setting> own() {
        return own.values();
    }

    /**
     * Returns a copy in which the keys that can change at run time have the values of other
     * settings.
     *
     * @param to the other settings; null if there are none
     */
    Settings changedTo(@Nullable Settings to, @Nullable Settings parentOfBoth) {
        Map<ConfigKey<?>, Setting> changed = new HashMap<>(to == null ? Map.of() : to.own);
        changed.keySet().removeIf(key -> key.atRunTime() == null);
        own.forEach((key, setting) -> {
            if (key.atRunTime() == null) {
                changed.put(key, setting);
            }
        });
        return new Settings(parentOfBoth, changed);
    }

    @Override
    public String toString() {
        return own.values().toString();
    }

    /** What a value comes from. */
    public enum Source {
        DEFAULT,
        FILE,
        ENVIRONMENT,
        OPTION,
        SET
    }

    /**
     * The resolved value of a key.
     *
     * @param path the path of the key, with the names of its table or the number of its user
     * @param content the parsed value; null if the key has none
     * @param text the value as written
     */
    public record Setting(
            ConfigKey<?> key, String path, @Nullable Object content, Secret text, Source source) {
        /** Returns the value in printable form. */
        public String value() {
            return key.shown(text.value());
        }

        /** Returns whether any source configured the value. */
        public boolean given() {
            return source != Source.DEFAULT;
        }

        @Override
        public String toString() {
            return path + ": " + value();
        }
    }
}
