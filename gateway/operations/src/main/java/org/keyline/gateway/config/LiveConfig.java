package org.keyline.gateway.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration in force. At run time, a reload of its sources replaces the whole
 * configuration, and a statement sets one key. A change that fails the checks of the start has no
 * effect. Thread-safe.
 */
public final class LiveConfig implements ConfigValues {
    private static final Logger LOG = LoggerFactory.getLogger(LiveConfig.class);
    private static final String RESTART = "its value at the start: this key can change only at a restart";

    /** Reads the sources again; null if no source can be reloaded. */
    private final @Nullable Supplier<ConfigLoader> sources;

    private volatile GatewayConfig config;

    // Guarded by this.
    private @Nullable ConfigLoader read;
    private Map<String, String> sets = Map.of();
    private final List<Preparation> preparations = new ArrayList<>();
    private final List<Runnable> listeners = new ArrayList<>();

    @FunctionalInterface
    public interface Preparation {
        /**
         * Checks the next configuration.
         *
         * @return an action to run after the configuration has come into force
         */
        Runnable prepare(GatewayConfig next) throws ConfigException;
    }

    /**
     * A changed key, with printable values.
     *
     * @param before null if the key was absent
     * @param after null if the key is absent
     * @param atRunTime whether the change needs no restart
     */
    public record Change(
            String path, @Nullable String before, @Nullable String after, boolean atRunTime) {
        public String effect() {
            return atRunTime ? "applied" : "needs a restart";
        }

        @Override
        public String toString() {
            return path + ": " + (before == null ? "none" : before) + " -> " + (after == null ? "none" : after);
        }
    }

    private LiveConfig(@Nullable Supplier<ConfigLoader> sources, @Nullable ConfigLoader read, GatewayConfig config) {
        this.sources = sources;
        this.read = read;
        this.config = config;
    }

    public static LiveConfig read(Supplier<ConfigLoader> sources) throws ConfigException {
        ConfigLoader read = sources.get();
        return new LiveConfig(sources, read, read.load());
    }

    public static LiveConfig fixed(GatewayConfig config) {
        return new LiveConfig(null, null, config);
    }

    public GatewayConfig config() {
        return config;
    }

    @Override
    public <T> @Nullable T find(ConfigKey<T> key) {
        return config.find(key);
    }

    /** Adds a check that runs before each change. */
    public synchronized void beforeChange(Preparation asked) {
        preparations.add(asked);
    }

    /** Adds a listener. It runs when a change is in force, before the changing method returns. */
    public synchronized void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Reloads the sources, and discards the settings made by statements. Rejects a file without any
     * key, or without a whole section that protects the gateway, because an editor or a full disk
     * may have truncated the file.
     *
     * @param forced whether to accept such a file
     * @return all differences from the configuration in force
     */
    public synchronized List<Change> reload(boolean forced) throws ConfigException {
        if (sources == null) {
            return List.of();
        }
        ConfigLoader next = sources.get();
        ConfigLoader before = read;
        if (!forced && before != null) {
            before.refuseLosses(next);
        }
        return adopt(next, Map.of());
    }

    /**
     * Sets one key until the next reload.
     *
     * @param names the components of the path
     * @param value null restores the value of the sources
     */
    public synchronized List<Change> set(List<String> names, @Nullable String value) throws ConfigException {
        String path = names.stream().reduce("", ConfigPath::join);
        if (read == null) {
            throw new ConfigException(List.of(problem(path, "not set", "a gateway with sources of its configuration")));
        }
        ConfigKey<?> key = ConfigKeys.at(names);
        if (key == null || key.atRunTime() == null) {
            // If the path is unknown, the loader rejects it whatever the value is.
            String tried = key == null ? "DEFAULT" : value;
            Settings.Setting judged = load(read, tried == null ? Map.of() : Map.of(path, tried))
                    .byPath()
                    .get(path);
            throw new ConfigException(List.of(problem(path, judged == null ? "none" : judged.value(), RESTART)));
        }
        Map<String, String> wanted = new LinkedHashMap<>(sets);
        if (value == null) {
            wanted.remove(path);
        } else {
            wanted.put(path, value);
        }
        return adopt(read, wanted);
    }

    private static GatewayConfig load(ConfigLoader base, Map<String, String> sets) throws ConfigException {
        ConfigLoader loader = base.copy();
        sets.forEach((path, value) -> loader.set(path, value, Settings.Source.SET));
        return loader.load();
    }

    private static ConfigException.Problem problem(String path, String value, String expected) {
        return new ConfigException.Problem(path, value, expected);
    }

    private List<Change> adopt(ConfigLoader base, Map<String, String> wanted) throws ConfigException {
        GatewayConfig next = load(base, wanted);
        List<Change> changes = changes(config, next);
        List<Runnable> prepared = new ArrayList<>();
        for (Preparation preparation : preparations) {
            prepared.add(preparation.prepare(next));
        }
        config = config.changedTo(next);
        read = base;
        sets = wanted;
        prepared.forEach(Runnable::run);
        listeners.forEach(Runnable::run);
        changes.forEach(change -> LOG.info("configuration: {} ({})", change, change.effect()));
        return changes;
    }

    public static List<Change> changes(GatewayConfig before, GatewayConfig after) {
        Map<String, Settings.Setting> was = before.byPath();
        Map<String, Settings.Setting> is = after.byPath();
        TreeSet<String> paths = new TreeSet<>(was.keySet());
        paths.addAll(is.keySet());
        List<Change> changes = new ArrayList<>();
        for (String path : paths) {
            Settings.Setting from = was.get(path);
            Settings.Setting to = is.get(path);
            // A new table or user also has settings with default values. These are not changes.
            boolean same = (from == null || to == null)
                    ? !isGiven(from) && !isGiven(to)
                    : from.text().equals(to.text());
            if (!same) {
                boolean atRunTime = Stream.of(from, to)
                        .anyMatch(each -> each != null && each.key().atRunTime() != null);
                changes.add(new Change(
                        path, from == null ? null : from.value(), to == null ? null : to.value(), atRunTime));
            }
        }
        return changes;
    }

    private static boolean isGiven(Settings.@Nullable Setting setting) {
        return setting != null && setting.given();
    }
}
