package org.keyline.gateway.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration in force. It may change at run time: as a whole, when its sources are read
 * again, or one key by a statement. A change is checked as at start; an invalid one changes
 * nothing. Thread-safe.
 */
public final class LiveConfig {
    private static final Logger LOG = LoggerFactory.getLogger(LiveConfig.class);
    private static final String RESTART = "its value of the start: this key changes by a restart only";

    /** Null if there is nothing to read again. */
    private final @Nullable Supplier<ConfigLoader> sources;

    private volatile GatewayConfig config;
    private volatile List<ConfigLoader.Setting> settings;

    // Guarded by this.
    private @Nullable ConfigLoader read;
    private Map<String, String> sets = Map.of();
    private Map<String, Secret> values = Map.of();
    private final List<Preparation> preparations = new ArrayList<>();
    private final List<Runnable> listeners = new ArrayList<>();

    /** A check of a change, which may refuse it. */
    @FunctionalInterface
    public interface Preparation {
        /**
         * Checks the next configuration.
         *
         * @return an action to run once it is in force
         */
        Runnable prepare(GatewayConfig next) throws ConfigException;
    }

    /**
     * A changed key.
     *
     * @param before printable; null if it was absent
     * @param after printable; null if it is absent
     * @param atRunTime whether it needs no restart
     */
    public record Change(
            String path, @Nullable String before, @Nullable String after, boolean atRunTime) {
        /** Returns the effect of the change, for people. */
        public String effect() {
            return atRunTime ? "applied" : "needs a restart";
        }

        @Override
        public String toString() {
            return path + ": " + (before == null ? "none" : before) + " -> " + (after == null ? "none" : after);
        }
    }

    private LiveConfig(
            @Nullable Supplier<ConfigLoader> sources, GatewayConfig config, List<ConfigLoader.Setting> settings) {
        this.sources = sources;
        this.config = config;
        this.settings = settings;
    }

    /** Reads the sources for the first time. */
    public static LiveConfig read(Supplier<ConfigLoader> sources) throws ConfigException {
        ConfigLoader read = sources.get();
        ConfigLoader loader = read.copy();
        GatewayConfig config = loader.load();
        LiveConfig live = new LiveConfig(sources, config, loader.settings());
        live.begin(read, loader.values());
        return live;
    }

    private synchronized void begin(ConfigLoader first, Map<String, Secret> exact) {
        read = first;
        values = exact;
    }

    /** Returns a configuration that does not change. */
    public static LiveConfig fixed(GatewayConfig config) {
        return new LiveConfig(null, config, List.of());
    }

    /** Returns the configuration in force. */
    public GatewayConfig config() {
        return config;
    }

    /** Returns the current value of every key and its source. */
    public List<ConfigLoader.Setting> settings() {
        return settings;
    }

    /** Adds a check that is called before each change. */
    public synchronized void beforeChange(Preparation asked) {
        preparations.add(asked);
    }

    /**
     * Adds a listener that is called once a change is in force, before the change's caller
     * continues.
     */
    public synchronized void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Reads the sources again, and removes single settings of statements. Refuses a file without
     * any key, and one that removes a whole section that protects the gateway: an editor or a full
     * disk may have truncated it.
     *
     * @param forced whether to accept such a loss
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
     * Sets one key until the sources are read again.
     *
     * @param names of the path
     * @param value null: the value of the sources
     */
    public synchronized List<Change> set(List<String> names, @Nullable String value) throws ConfigException {
        String path = names.stream().map(ConfigPath::quote).collect(Collectors.joining("."));
        if (read == null) {
            throw new ConfigException(List.of(problem(path, "not set", "a gateway with sources of its configuration")));
        }
        if (value == null && !ConfigKeys.isKey(names)) {
            // Any value makes the loader report an invalid path.
            String unused = judged(read, path, "DEFAULT");
        }
        Map<String, String> wanted = new LinkedHashMap<>(sets);
        if (value == null) {
            wanted.remove(path);
        } else {
            wanted.put(path, value);
        }
        if (!ConfigKeys.changesAtRunTime(path)) {
            throw new ConfigException(List.of(problem(path, judged(read, path, value), RESTART)));
        }
        return adopt(read, wanted);
    }

    /** Returns a value in printable form; fails if the key is unknown or the value invalid. */
    private static String judged(ConfigLoader base, String path, @Nullable String value) throws ConfigException {
        ConfigLoader loader = base.copy();
        if (value != null) {
            loader.set(path, value, ConfigLoader.Source.SET);
        }
        GatewayConfig unused = loader.load();
        return loader.settings().stream()
                .filter(setting -> setting.path().equals(path))
                .map(ConfigLoader.Setting::value)
                .findFirst()
                .orElse("none");
    }

    private static ConfigException.Problem problem(String path, String value, String expected) {
        return new ConfigException.Problem(path, value, expected);
    }

    private List<Change> adopt(ConfigLoader base, Map<String, String> wanted) throws ConfigException {
        ConfigLoader loader = base.copy();
        wanted.forEach((path, value) -> loader.set(path, value, ConfigLoader.Source.SET));
        GatewayConfig next = loader.load();
        List<Change> changes = changes(settings, values, loader.settings(), loader.values());
        Map<String, ConfigLoader.Setting> merged = new TreeMap<>();
        Map<String, Secret> exact = new TreeMap<>();
        merge(settings, values, false, merged, exact);
        merge(loader.settings(), loader.values(), true, merged, exact);
        List<Runnable> prepared = new ArrayList<>();
        for (Preparation preparation : preparations) {
            prepared.add(preparation.prepare(next));
        }
        config = config.changedTo(next);
        settings = List.copyOf(merged.values());
        values = exact;
        read = base;
        sets = wanted;
        prepared.forEach(Runnable::run);
        listeners.forEach(Runnable::run);
        changes.forEach(change -> LOG.info("configuration: {} ({})", change, change.effect()));
        return changes;
    }

    /** Takes over the keys that change at run time, or the other ones. */
    private static void merge(
            Collection<ConfigLoader.Setting> from,
            Map<String, Secret> values,
            boolean atRunTime,
            Map<String, ConfigLoader.Setting> merged,
            Map<String, Secret> exact) {
        for (ConfigLoader.Setting setting : from) {
            Secret value = values.get(setting.path());
            if (ConfigKeys.changesAtRunTime(setting.path()) == atRunTime && value != null) {
                merged.put(setting.path(), setting);
                exact.put(setting.path(), value);
            }
        }
    }

    /** Returns the differences between two loaded configurations. */
    public static List<Change> changes(ConfigLoader before, ConfigLoader after) {
        return changes(before.settings(), before.values(), after.settings(), after.values());
    }

    private static List<Change> changes(
            List<ConfigLoader.Setting> before,
            Map<String, Secret> valuesBefore,
            List<ConfigLoader.Setting> after,
            Map<String, Secret> valuesAfter) {
        Map<String, String> shownBefore = shown(before);
        Map<String, String> shownAfter = shown(after);
        TreeSet<String> paths = new TreeSet<>(valuesBefore.keySet());
        paths.addAll(valuesAfter.keySet());
        List<Change> changes = new ArrayList<>();
        for (String path : paths) {
            Secret was = valuesBefore.get(path);
            if (was == null || !was.equals(valuesAfter.get(path))) {
                changes.add(new Change(
                        path, shownBefore.get(path), shownAfter.get(path), ConfigKeys.changesAtRunTime(path)));
            }
        }
        return changes;
    }

    private static Map<String, String> shown(List<ConfigLoader.Setting> settings) {
        return settings.stream()
                .collect(Collectors.toMap(
                        ConfigLoader.Setting::path, ConfigLoader.Setting::value, (first, second) -> second));
    }
}
