package org.keyline.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.LoggerContext;
import io.netty.util.ResourceLeakDetector;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.log.MemoryExhausted;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command line. Exit codes: 0 served and drained, or the configuration is good; 1 could not start, or the
 * configuration is not good; 2 wrong usage; 3 out of memory.
 */
@Command(
        name = "keyline",
        description = "A MySQL-wire gateway that answers primary-key lookups from memory.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "(serve | check-config FILE)")
public final class Main implements Callable<Integer> {
    private static final int FAILED = 1;

    @Spec
    private @Nullable CommandSpec spec;

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] args) {
        MemoryExhausted.arm(() -> System.err.println("keyline: out of memory, the process ends; see limits.memory"));
        Hangup.ignore();
        int status = run(args, new PrintWriter(System.out, true, UTF_8), new PrintWriter(System.err, true, UTF_8));
        writeLog();
        System.exit(status);
    }

    /** What has been logged is written, if somebody takes it. */
    private static void writeLog() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logging) {
            logging.stop();
        }
    }

    static int run(String[] args, PrintWriter out, PrintWriter err) {
        return new CommandLine(new Main())
                .addSubcommand(new Serve())
                .addSubcommand(new CheckConfig())
                .setOut(out)
                .setErr(err)
                .execute(args);
    }

    @Override
    public Integer call() {
        throw new CommandLine.ParameterException(Objects.requireNonNull(spec).commandLine(), "a command is missing");
    }

    /** {@code keyline serve}: runs until SIGTERM. */
    @Command(name = "serve", description = "Serves clients until SIGTERM.", mixinStandardHelpOptions = true)
    static final class Serve implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Option(names = "--config", paramLabel = "FILE", description = "YAML; the other options win over it")
        private @Nullable Path config;

        @Option(names = "--listen", paramLabel = "HOST:PORT", description = "MySQL protocol (default 127.0.0.1:9030)")
        private @Nullable String listen;

        @Option(
                names = "--http",
                paramLabel = "HOST:PORT",
                description = "/metrics, /live, /ready and /health, or off (default 127.0.0.1:9031)")
        private @Nullable String http;

        @Option(
                names = "--store",
                paramLabel = "URL",
                description = "duckdb:FILE, duckdb:memory (default) or mysql://HOST:PORT")
        private @Nullable String store;

        @Option(names = "--store-user", paramLabel = "USER", description = "the gateway's own account at the store")
        private @Nullable String storeUser;

        @Option(
                names = "--store-password",
                paramLabel = "PASSWORD",
                description = "its password; better in " + ConfigLoader.PASSWORD_VARIABLE + " or store.passwordFile")
        private @Nullable String storePassword;

        @Option(
                names = "--demo",
                description = "sample schema and data on the embedded store, TLS with a made certificate")
        private boolean demo;

        @Option(
                names = "--cache",
                paramLabel = "on|off",
                description = "lines and short circuit as a whole (default on)")
        private @Nullable String cache;

        @Option(names = "--ttl", paramLabel = "DURATION", description = "age of a line (default 1s)")
        private @Nullable String ttl;

        @Option(
                names = "--set",
                paramLabel = "KEY=VALUE",
                description = "any configuration key, repeatable; e.g. tables.DB.TABLE.prefix=1")
        private List<String> settings = List.of();

        @Override
        public Integer call() throws InterruptedException {
            PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
            PrintWriter err = spec.commandLine().getErr();
            stopTracingBuffers();
            GatewayConfig checked;
            try {
                checked = load();
            } catch (ConfigException e) {
                return refuse(err, e);
            }
            Gateway gateway;
            try {
                gateway = Gateway.start(checked);
            } catch (StartException e) {
                err.println("keyline: cannot start: " + e.getMessage());
                return FAILED;
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> drain(gateway), "drain"));
            out.println("keyline ready on " + gateway.listening());
            new CountDownLatch(1).await();
            return 0;
        }

        /** Netty follows one of 128 buffers with a stack trace, for 2 % of a hit's time. Tests follow all; here it is asked for by the property. */
        private static void stopTracingBuffers() {
            if (System.getProperty("io.netty.leakDetection.level") == null) {
                ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
            }
        }

        private GatewayConfig load() throws ConfigException {
            ConfigLoader loader = new ConfigLoader(System.getenv());
            if (config != null) {
                loader.file(config);
            }
            settings.forEach(loader::set);
            setIfGiven(loader, "listen", listen);
            setIfGiven(loader, "http", http);
            setIfGiven(loader, "store.url", store);
            setIfGiven(loader, "store.user", storeUser);
            setIfGiven(loader, "store.password", storePassword);
            setIfGiven(loader, "cache.enabled", cache);
            setIfGiven(loader, "cache.ttl", ttl);
            if (demo) {
                loader.set("demo", "true");
            }
            return loader.load();
        }

        private static void setIfGiven(ConfigLoader loader, String path, @Nullable String value) {
            if (value != null) {
                loader.set(path, value);
            }
        }

        /**
         * Runs in the shutdown hook, which is reached by SIGTERM or SIGINT only. The virtual machine would report the
         * signal as exit status 143, so the hook ends the process itself once all is drained and stored.
         */
        private static void drain(Gateway gateway) {
            gateway.close();
            writeLog();
            Runtime.getRuntime().halt(0);
        }
    }

    /** {@code keyline check-config FILE}: reads and judges a file, starts nothing. */
    @Command(name = "check-config", description = "Checks a configuration file.", mixinStandardHelpOptions = true)
    static final class CheckConfig implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Parameters(paramLabel = "FILE", description = "YAML")
        private @Nullable Path file;

        @Override
        public Integer call() {
            CommandLine line = Objects.requireNonNull(spec).commandLine();
            try {
                new ConfigLoader(System.getenv())
                        .file(Objects.requireNonNull(file))
                        .load();
            } catch (ConfigException e) {
                return refuse(line.getErr(), e);
            }
            line.getOut().println(file + " is good");
            return 0;
        }
    }

    /** {@code --version}: what the jar's manifest says. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"keyline " + (version == null ? "development" : version)};
        }
    }

    private static int refuse(PrintWriter err, ConfigException refused) {
        err.println("keyline: the configuration has " + refused.problems().size() + " problem(s):");
        refused.problems().forEach(problem -> err.println("  " + problem));
        return FAILED;
    }
}
