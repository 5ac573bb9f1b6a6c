package org.keyline.gateway;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The boundaries between modules and packages, and the house rules that can be checked
 * automatically.
 */
final class ArchitectureTest {
    private static final String PROTOCOL = "org.keyline.protocol..";
    private static final String PLANNER = "org.keyline.planner..";
    private static final String ROWCACHE = "org.keyline.rowcache..";
    private static final String STORES = "org.keyline.stores..";
    private static final String GATEWAY = "org.keyline.gateway..";

    private static final String MYSQL = "org.keyline.stores.mysql..";
    private static final String DUCKDB = "org.keyline.stores.duckdb..";

    private static final int MOST_CLASSES = 20;

    /** The sentence in the package-info of a package that has more classes. */
    private static final String WHY_MORE = " has more than " + MOST_CLASSES + " classes because ";

    /**
     * The names of two classes each. {@code ColumnType} is the declared type of a column, and its
     * byte in the protocol. {@code PreparedStatement} is a server's reply to its client, and a
     * session's state of its client's statement.
     */
    private static final Set<String> TWICE = Set.of("ColumnType", "PreparedStatement");

    private static JavaClasses production;

    @BeforeAll
    static void importClasses() {
        production = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("org.keyline");
    }

    @TestFactory
    Stream<DynamicTest> borders() {
        return Stream.of(
                        knowsNothingOf(PROTOCOL, PLANNER, ROWCACHE, STORES, GATEWAY),
                        knowsNothingOf(PLANNER, PROTOCOL, ROWCACHE, STORES, GATEWAY),
                        knowsNothingOf(ROWCACHE, PROTOCOL, PLANNER, STORES, GATEWAY),
                        knowsNothingOf(STORES, ROWCACHE, GATEWAY),
                        knowsNothingOf("org.keyline.stores", MYSQL, DUCKDB),
                        knowsNothingOf("org.keyline.stores.ddl", PROTOCOL, MYSQL, DUCKDB),
                        knowsNothingOf(MYSQL, DUCKDB),
                        knowsNothingOf(DUCKDB, MYSQL),
                        tasksAreGuarded(),
                        slices().matching("org.keyline.(**)")
                                .should()
                                .beFreeOfCycles()
                                .as("packages are free of cycles"),
                        only(List.of("org.keyline.planner.calcite.."), "org.apache.calcite.."),
                        only(List.of(DUCKDB), "org.duckdb.."),
                        only(List.of(MYSQL), "com.mysql..", "com.github.shyiko..", "com.zendesk.."),
                        only(List.of(GATEWAY), "ch.qos.logback..", "picocli.."),
                        noClasses()
                                .that()
                                .resideInAnyPackage("org.keyline.protocol", PLANNER, ROWCACHE)
                                .should()
                                .dependOnClassesThat()
                                .resideInAPackage("io.netty.channel..")
                                .as("no channels in the words of the protocol, in planner and in rowcache"),
                        noClasses()
                                .that()
                                .resideInAnyPackage(PLANNER, ROWCACHE)
                                .should()
                                .dependOnClassesThat()
                                .resideInAPackage("io.netty..")
                                .as("planner and rowcache see bytes, never a buffer of Netty"),
                        noClasses()
                                .that()
                                .resideInAPackage(GATEWAY)
                                .and()
                                .haveNameNotMatching(".*\\.Fencing(\\$.*)?")
                                .should()
                                .dependOnClassesThat()
                                .haveFullyQualifiedName("org.keyline.rowcache.Fence")
                                .as("only Fencing closes and opens fences"),
                        noClasses()
                                .that()
                                .resideInAPackage(PROTOCOL)
                                .should()
                                .dependOnClassesThat()
                                .resideInAPackage("com.github.benmanes.caffeine..")
                                .as("Caffeine stays out of protocol"),
                        noClasses()
                                .that()
                                .resideInAnyPackage(PROTOCOL, PLANNER, ROWCACHE)
                                .should()
                                .dependOnClassesThat()
                                .resideInAnyPackage("org.slf4j..", "java.util.logging..")
                                .as("leaves throw or count; they do not log"))
                .map(this::test);
    }

    @Test
    void packages_areSmallOrTellWhyNot() throws IOException {
        Map<Path, Long> sizes = sources().collect(Collectors.groupingBy(Path::getParent, Collectors.counting()));
        assertThat(sizes).hasSizeGreaterThan(MOST_CLASSES);
        for (Map.Entry<Path, Long> sized : sizes.entrySet()) {
            String told = Files.readString(sized.getKey().resolve("package-info.java"));
            assertThat(told.contains(WHY_MORE))
                    .as("%s has %d classes and tells why", sized.getKey(), sized.getValue())
                    .isEqualTo(sized.getValue() > MOST_CLASSES);
        }
    }

    @Test
    void simpleNames_areOfOneClass() throws IOException {
        Map<Path, Long> names = sources().collect(Collectors.groupingBy(Path::getFileName, Collectors.counting()));
        names.values().removeIf(times -> times == 1);
        assertThat(names.keySet().stream().map(file -> file.toString().replace(".java", "")))
                .containsExactlyInAnyOrderElementsOf(TWICE);
    }

    /** Returns the sources of all modules, also of those outside the class path of this test. */
    private static Stream<Path> sources() throws IOException {
        return RepositoryFiles.all().stream()
                .filter(file -> file.toString().contains("/src/main/java/org/keyline/"))
                .filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"));
    }

    @TestFactory
    Stream<DynamicTest> houseRules() {
        return Stream.of(
                        noClasses()
                                .should()
                                .dependOnClassesThat()
                                .resideInAnyPackage("sun.misc..", "jdk.internal..")
                                .as("no internals of the JDK"),
                        noClasses().should().dependOnClassesThat(reflection()).as("no reflection, no proxies"),
                        noClasses()
                                .that()
                                .doNotHaveFullyQualifiedName("org.keyline.gateway.Main")
                                .and()
                                .resideOutsideOfPackage("org.keyline.ycsb..")
                                .should()
                                .accessField(System.class, "out")
                                .orShould()
                                .accessField(System.class, "err")
                                .as("only Main speaks to the terminal"),
                        noClasses()
                                .that()
                                .doNotHaveSimpleName("LongData") // the protocol's own word
                                .should()
                                .haveSimpleNameEndingWith("Manager")
                                .orShould()
                                .haveSimpleNameEndingWith("Helper")
                                .orShould()
                                .haveSimpleNameEndingWith("Util")
                                .orShould()
                                .haveSimpleNameEndingWith("Utils")
                                .orShould()
                                .haveSimpleNameEndingWith("Impl")
                                .orShould()
                                .haveSimpleNameEndingWith("Processor")
                                .orShould()
                                .haveSimpleNameEndingWith("Data")
                                .orShould()
                                .haveSimpleNameEndingWith("Info")
                                .as("names say what a thing is, without filler suffixes"),
                        classes()
                                .that()
                                .areTopLevelClasses()
                                .and()
                                .areNotInterfaces()
                                .and()
                                .areNotEnums()
                                .should(HouseRules.BE_FINAL_OR_OPEN_BY_DESIGN)
                                .as("classes are final, abstract or sealed"),
                        classes()
                                .should(HouseRules.LIVE_IN_A_NULL_MARKED_PACKAGE)
                                .as("every package is null-marked"))
                .map(this::test);
    }

    private DynamicTest test(ArchRule rule) {
        return DynamicTest.dynamicTest(
                rule.getDescription(), () -> rule.allowEmptyShould(true).check(production));
    }

    /**
     * An exception in a task of an event loop only becomes a line of the log, so callers that await
     * its result would wait forever. So only these classes create tasks. Each of them closes the
     * connection, session or load of the task ({@code Peer.run}, {@code Turn}), or no caller awaits
     * the task.
     */
    private static final Set<String> GUARDED = Set.of(
            "protocol.client.ConnectionPhase",
            "protocol.client.UpstreamLogin",
            "protocol.compression.CompressedProtocol",
            "protocol.server.CommandReply",
            "protocol.server.ConnectionTimers",
            "protocol.server.AcceptLimit",
            "protocol.server.LocalLogin",
            "protocol.server.ReadShare",
            "protocol.server.RelayedLogin",
            "protocol.server.ServerConnection",
            "protocol.server.ServerLogin",
            "protocol.server.Turn",
            "protocol.server.MySqlServer",
            "protocol.transport.ProxyProtocol",
            "protocol.transport.VanishedPeers",
            "stores.duckdb.session.DuckDbSession",
            "gateway.DemoSample",
            "gateway.Background",
            "gateway.admin.EventStreams",
            "gateway.admin.LoopProbe",
            "gateway.admin.StoreProbe",
            "gateway.audit.Auditor",
            "gateway.load.LoadPool",
            "gateway.load.LoadsAhead",
            "gateway.merge.InsertQueue",
            "gateway.read.FilterRead",
            "gateway.read.MultiRead",
            "gateway.session.command.DefinitionGate",
            "gateway.session.command.QueryCommand",
            "gateway.session.Session",
            "gateway.session.StoreRoom",
            "gateway.tier.Tier",
            "gateway.tier.TierLines");

    private static ArchRule tasksAreGuarded() {
        return noClasses()
                .that(DescribedPredicate.describe(
                        "do not guard their tasks",
                        (JavaClass type) ->
                                !GUARDED.contains(type.getName().replaceAll("^org\\.keyline\\.|\\$.*", ""))))
                .should()
                .callMethodWhere(target(owner(assignableTo(EventExecutorGroup.class)))
                        .and(target(nameMatching("execute|lazyExecute|submit|schedule.*"))))
                .as("tasks of event loops are guarded");
    }

    private static ArchRule knowsNothingOf(String leaf, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(leaf)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .as(leaf + " knows nothing of " + String.join(", ", others));
    }

    private static ArchRule only(List<String> importers, String... libraries) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(Stream.concat(importers.stream(), Stream.of("org.keyline.ycsb.."))
                        .toArray(String[]::new))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(libraries)
                .as("only " + String.join(", ", importers) + " imports " + String.join(", ", libraries));
    }

    private static DescribedPredicate<JavaClass> reflection() {
        return resideInAPackage("java.lang.reflect..")
                .and(DescribedPredicate.not(DescribedPredicate.<JavaClass>describe(
                        "an array of types", type -> type.getSimpleName().equals("Array"))));
    }
}
