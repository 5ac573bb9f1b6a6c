package org.keyline.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.LoggerContext;
import io.netty.util.ResourceLeakDetector;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigKey;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.config.Nearest;
import org.keyline.gateway.log.FatalErrors;
import org.keyline.gateway.log.LogSettings;
import org.keyline.gateway.warmup.WarmUp;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Parses the command line and runs its command. */
@Command(
        name = "keyline",
        description = "A MySQL-wire gateway that answers primary-key lookups from memory.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "(serve | check-config FILE | hash-password)",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:the gateway served and drained, or the configuration is valid",
            "1:the gateway could not start, or the configuration is invalid",
            "2:wrong usage",
            "3:out of memory"
        },
        subcommands = {Main.Serve.class, Main.CheckConfig.class, Main.HashPassword.class, Main.Completion.class})
public final class Main implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    private static final int FAILED = 1;

    @Spec
    private @Nullable CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        FatalErrors.arm(message -> System.err.println("keyline: " + message));
        Hangup.ignore();
        int status = run(args, new PrintWriter(System.out, true, UTF_8), new PrintWriter(System.err, true, UTF_8));
        writeLog();
        System.exit(status);
    }

    private static void writeLog() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logging) {
            logging.stop();
        }
    }

    static int run(String[] args, PrintWriter out, PrintWriter err) {
        return new CommandLine(new Main())
                .setParameterExceptionHandler(Main::refuseUsage)
                .setOut(out)
                .setErr(err)
                .execute(args);
    }

    @Override
    public Integer call() {
        throw new CommandLine.ParameterException(Objects.requireNonNull(spec).commandLine(), "a command is missing");
    }

    /** {@code keyline serve}: runs until SIGTERM. */
    @Command(
            name = "serve",
            description = "Serves clients until SIGTERM.",
            mixinStandardHelpOptions = true,
            modelTransformer = KeyHelp.class)
    static final class Serve implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Option(
                names = "--config",
                paramLabel = "FILE",
                description = "Reads a YAML file; the other options override it.")
        private @Nullable Path config;

        @Option(
                names = "--set",
                paramLabel = "KEY=VALUE",
                description = "Sets any key; repeatable. For one table: tables.DB.TABLE.prefix=1")
        private List<String> settings = List.of();

        @Option(names = "--host", paramLabel = "HOST", description = "Sets the host of --listen.")
        private @Nullable String host;

        @Option(names = "--port", paramLabel = "PORT", description = "Sets the port of --listen.")
        private @Nullable String port;

        @Override
        public Integer call() throws InterruptedException {
            PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
            PrintWriter err = spec.commandLine().getErr();
            stopDiagnostics();
            LiveConfig checked;
            try {
                checked = LiveConfig.read(this::loader);
            } catch (ConfigException e) {
                return refuse(err, e);
            }
            if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logging) {
                LogSettings settings = new LogSettings(logging);
                settings.apply(checked.config());
                checked.onChange(() -> settings.apply(checked.config()));
            }
            Gateway gateway;
            try {
                Thread warmUp = WarmUp.start();
                gateway = Gateway.start(checked, () -> join(warmUp));
            } catch (StartException e) {
                err.println("keyline: cannot start: " + e.getMessage());
                return FAILED;
            }
            Hangup.runs(() -> reload(checked));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> drain(gateway), "drain"));
            out.println("keyline ready on " + gateway.listening());
            new CountDownLatch(1).await();
            return 0;
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                // The start continues without the rest of the warm-up.
                Thread.currentThread().interrupt();
            }
        }

        /** Reloads the configuration. The code that applies a changed key logs the change. */
        private static void reload(LiveConfig config) {
            try {
                LOG.info(
                        "SIGHUP: configuration reloaded; number of changed keys: {}",
                        config.reload(false).size());
            } catch (ConfigException e) {
                LOG.error("SIGHUP: the configuration is unchanged, because the new one is invalid: {}", e.getMessage());
            }
        }

        /**
         * Turns off two diagnostics of Netty unless their properties are set. Leak sampling traces
         * one of 128 buffers, which costs 2 % of a hit. Events for Java Flight Recorder make each
         * start slower. Tests trace all buffers.
         */
        private static void stopDiagnostics() {
            String events = "io.netty.jfr.enabled";
            System.setProperty(events, System.getProperty(events, "false"));
            if (System.getProperty("io.netty.leakDetection.level") == null) {
                ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
            }
        }

        private ConfigLoader loader() {
            ConfigLoader loader = new ConfigLoader(System.getenv());
            if (config != null) {
                loader.file(config);
            }
            settings.forEach(loader::set);
            for (ConfigKey<?> key : ConfigKeys.ALL) {
                String option = key.option();
                Object value = option == null ? null : given(option);
                if (value != null) {
                    loader.set(key.path(), value.toString());
                }
            }
            return loader.listen(host, port);
        }

        private @Nullable Object given(String option) {
            return Objects.requireNonNull(spec).findOption(option).getValue();
        }

        /** Runs at SIGTERM or SIGINT. Halts with status 0, because the JVM would exit with 143. */
        private static void drain(Gateway gateway) {
            gateway.close();
            writeLog();
            Runtime.getRuntime().halt(0);
        }
    }

    /** {@code keyline check-config FILE}: reads and checks a file without starting a gateway. */
    @Command(name = "check-config", description = "Checks a configuration file.", mixinStandardHelpOptions = true)
    static final class CheckConfig implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Parameters(paramLabel = "FILE", description = "YAML")
        private @Nullable Path file;

        @Option(names = "--show", description = "Prints every key with its value; secrets are masked.")
        private boolean show;

        @Option(
                names = "--diff",
                paramLabel = "OTHER",
                description = "Prints the differences from another file, and which of them need a restart.")
        private @Nullable Path other;

        @Override
        public Integer call() {
            CommandLine line = Objects.requireNonNull(spec).commandLine();
            ConfigLoader loader = new ConfigLoader(System.getenv()).file(Objects.requireNonNull(file));
            GatewayConfig checked;
            @Nullable GatewayConfig before;
            try {
                checked = loader.load();
                before = other == null
                        ? null
                        : new ConfigLoader(System.getenv()).file(other).load();
            } catch (ConfigException e) {
                return refuse(line.getErr(), e);
            }
            if (show) {
                checked.all().stream()
                        .map(setting -> setting.path() + ": " + setting.value() + (setting.given() ? "" : " (default)"))
                        .forEach(line.getOut()::println);
            }
            if (before != null) {
                LiveConfig.changes(before, checked)
                        .forEach(change -> line.getOut()
                                .println(change + (change.atRunTime() ? " (by reload)" : " (by restart)")));
            }
            line.getOut().println(file + " is valid");
            return 0;
        }
    }

    /** Reads a password from standard input and prints the value for {@code users[].hash}. */
    @Command(
            name = "hash-password",
            description = "Reads a password from standard input and prints its hash for users[].hash.",
            mixinStandardHelpOptions = true)
    static final class HashPassword implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public Integer call() throws IOException {
            CommandLine line = Objects.requireNonNull(spec).commandLine();
            String password = read();
            if (password.isEmpty()) {
                line.getErr().println("keyline: the password is empty (expected: one line on standard input)");
                return FAILED;
            }
            line.getOut()
                    .println(Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, password, new SecureRandom())
                            .stored());
            return 0;
        }

        private static String read() throws IOException {
            String line = new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine();
            return line == null ? "" : line;
        }
    }

    /** Prints shell completions, which the packages contain. */
    @Command(name = "generate-completion", hidden = true)
    static final class Completion extends AutoComplete.GenerateCompletion {}

    /** {@code --version}: prints the version of the jar's manifest, and its commit if known. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            Build built = Build.THIS;
            String commit = built.commit().isEmpty() ? "" : " (commit " + built.commit() + ", " + built.time() + ")";
            return new String[] {"keyline " + built.version() + commit};
        }
    }

    /** Prints one line, with known names only, because any other word can be a misplaced secret. */
    private static int refuseUsage(CommandLine.ParameterException refused, String[] args) {
        CommandLine line = refused.getCommandLine();
        String message = refused.getMessage();
        if (refused instanceof CommandLine.UnmatchedArgumentException unmatched) {
            CommandSpec known = line.getCommandSpec();
            List<String> words = Stream.concat(
                            known.optionsMap().keySet().stream(), known.subcommands().keySet().stream())
                    .toList();
            List<String> given = unmatched.getUnmatched();
            message = "not understood: "
                    + IntStream.range(0, given.size())
                            // The message does not mention the value of an unknown option.
                            .filter(i -> i == 0 || !isOption(given.get(i - 1)) || isOption(given.get(i)))
                            .mapToObj(i -> misunderstood(given.get(i), known, words))
                            .collect(Collectors.joining(", "));
        }
        line.getErr()
                .println("keyline: " + message + " (" + line.getCommandSpec().qualifiedName()
                        + " --help lists the options)");
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String misunderstood(String word, CommandSpec known, List<String> words) {
        String name = word.replaceFirst("=.*", "");
        String owner = known.subcommands().entrySet().stream()
                .filter(command -> command.getValue().getCommandSpec().findOption(name) != null)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
        return (isOption(word) ? word.replaceFirst("=.*", "=...") : "an argument without an option")
                + (owner == null || !isOption(word)
                        ? Nearest.question(name, words)
                        : ", an option of " + owner + ": write " + owner + " before it");
    }

    private static boolean isOption(String argument) {
        return argument.startsWith("-");
    }

    private static int refuse(PrintWriter err, ConfigException refused) {
        err.println("keyline: the configuration has " + refused.problems().size() + " problem(s):");
        refused.problems().forEach(problem -> err.println("  " + problem.located()));
        return FAILED;
    }
}
