package org.keyline.ycsb;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.atomic.LongAdder;
import site.ycsb.Client;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/** The command line, which creates tables, runs YCSB's phases load and run, and experiments. */
public final class Ycsb {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar COMMAND [options]

              create-table   create the database and the table of a workload
              load           insert the records of a workload
              run            run a workload
              report         compare cache on and off, and print a table (report --help)
              experiment     published results, measured again (experiment --help)

            options of create-table, load and run, as YCSB has them:
              -P FILE        properties of a workload, repeatable
              -p KEY=VALUE   one property, repeatable; wins over files
              -threads N     client threads (default 1, or threadcount of the workload)
              -target N      operations per second at most
              -s             status every 10 seconds

            properties of the connection: db.url, db.user, db.passwd, db.driver, db.key
            properties of create-table: ddl=doris|mysql (default doris), drop=true

            exit status: 0; 1 if nothing was done: an option, a file, the connection or every operation failed
            """;

    /** Counts the operations of this process that succeeded, without verifications. */
    static final LongAdder SUCCEEDED = new LongAdder();

    private Ycsb() {}

    public static void main(String[] args) {
        String command = args.length == 0 ? "help" : args[0];
        List<String> options = Arrays.asList(args).subList(Math.min(1, args.length), args.length);
        try {
            switch (command) {
                case "load" -> client("-load", options);
                case "run" -> client("-t", options);
                case "create-table" -> createTable(properties(options));
                case "report" -> Experiments.report(options, System.out);
                case "experiment" -> Experiments.run(options, System.out);
                case "help", "--help", "-h" -> System.out.print(USAGE);
                default -> throw new IllegalArgumentException("no such command: " + command + "\n\n" + USAGE);
            }
        } catch (IllegalArgumentException | IOException | SQLException | WorkloadException problem) {
            System.err.println(problem.getMessage());
            System.exit(1);
        }
    }

    /** Runs YCSB, which always exits with 0. A hook exits with 1 if no operation succeeded. */
    private static void client(String phase, List<String> options) {
        Thread status = new Thread(() -> {
            if (SUCCEEDED.sum() == 0) {
                System.err.println("no operation succeeded");
                Runtime.getRuntime().halt(1);
            }
        });
        Runtime.getRuntime().addShutdownHook(status);
        List<String> arguments = new ArrayList<>(List.of(phase, "-db", KeylineClient.class.getName()));
        arguments.addAll(options);
        Client.main(arguments.toArray(String[]::new));
    }

    /** Returns the properties of the options. Single properties override those of files. */
    static Properties properties(List<String> options) throws IOException {
        Properties files = new Properties();
        Properties single = new Properties();
        for (int i = 0; i < options.size(); i++) {
            String option = options.get(i);
            if (option.equals("-s")) {
                continue;
            }
            if (i + 1 == options.size()) {
                throw new IllegalArgumentException(option + " needs a value\n\n" + USAGE);
            }
            String value = options.get(++i);
            switch (option) {
                case "-P" -> {
                    try (Reader file = Files.newBufferedReader(Path.of(value))) {
                        files.load(file);
                    }
                }
                case "-p" -> {
                    int equals = value.indexOf('=');
                    if (equals < 0) {
                        throw new IllegalArgumentException("-p " + value + " (expected: KEY=VALUE)");
                    }
                    single.setProperty(value.substring(0, equals), value.substring(equals + 1));
                }
                case "-threads", "-target", "-db", "-l" -> {} // not of the creation of a table
                default -> throw new IllegalArgumentException("no such option: " + option + "\n\n" + USAGE);
            }
        }
        files.putAll(single);
        return files;
    }

    static void createTable(Properties properties) throws SQLException, WorkloadException {
        Ddl ddl = Ddl.valueOf(properties.getProperty("ddl", "doris").toUpperCase(Locale.ROOT));
        String table;
        String create;
        if (StrategyWorkload.class.getName().equals(properties.getProperty(Client.WORKLOAD_PROPERTY))) {
            StrategySettings settings = StrategySettings.of(properties);
            table = settings.table();
            create = ddl.strategyTable(table, settings.payloadLength());
        } else {
            table = properties.getProperty(CoreWorkload.TABLENAME_PROPERTY, CoreWorkload.TABLENAME_PROPERTY_DEFAULT);
            int fields = Integer.parseInt(properties.getProperty(
                    CoreWorkload.FIELD_COUNT_PROPERTY, CoreWorkload.FIELD_COUNT_PROPERTY_DEFAULT));
            create = ddl.usertable(table, properties.getProperty("db.key", "YCSB_KEY"), fields);
        }
        try (Connection connection = Target.of(properties).openCreatingDatabase();
                Statement statement = connection.createStatement()) {
            if (Boolean.parseBoolean(properties.getProperty("drop"))) {
                statement.execute("DROP TABLE IF EXISTS " + Identifiers.quoted(table));
            }
            statement.execute(create);
        }
        System.out.println("created " + table);
    }
}
