package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The targets that pages refer to exist: linked files, tests that hold a promise, classes and
 * packages.
 */
final class PagesTest {
    private static final Path ROOT = RepositoryFiles.ROOT;
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:\\s]+)(?:#[^)]*)?\\)");
    private static final Pattern ANCHOR = Pattern.compile("\\]\\(((?:[^)#:\\s]+\\.md)?)#([^)]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*[a-z](?:Test|IT|Contract))(?:#\\w+…?)?`");

    private static final Pattern BLOCK = Pattern.compile("(?s)```.*?```");
    private static final Pattern TYPE =
            Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:[.#](\\w+))?…?(?:\\(\\))?`");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
    /**
     * Names in pages that look like our classes, but belong to Netty or the JDK, or are settings or
     * other words.
     */
    private static final Set<String> NOT_OURS = Set.of("EmbeddedChannel", "ByteBuffer", "ListenStream", "Return", "Tx");

    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?org\\.keyline\\.gateway\\.([a-z.]*[a-z])\\.[A-Z]");
    private static final Pattern PACKAGE_OF_GATEWAY =
            Pattern.compile("/gateway/[a-z]+/src/main/java/org/keyline/gateway/([a-z/]*[a-z])/\\w+\\.java$");

    /**
     * A row of the table in the gateway's page: a package, its description, the packages that it
     * imports.
     */
    private static final Pattern PACKAGE_ROW = Pattern.compile("(?m)^\\| `([a-z.]+)` \\|.*\\| ([^|]*)\\|$");

    /** The header of a table, and the line of dashes below it. */
    private static final Pattern TABLE = Pattern.compile("(?m)^(\\|.*)\\n(\\|(?: *:?-+:? *\\|)+) *$");

    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");

    private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");

    private static final List<Path> FILES = new ArrayList<>();
    private static List<Path> pages;

    @BeforeAll
    static void find() throws IOException {
        FILES.addAll(RepositoryFiles.all());
        pages = FILES.stream()
                .filter(file -> file.toString().endsWith(".md") || file.endsWith("llms.txt"))
                .toList();
    }

    private static List<String> missing(Pattern named, BiPredicate<Path, String> there) throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path page : pages) {
            Matcher names = named.matcher(Files.readString(page));
            while (names.find()) {
                if (!there.test(page, names.group(1))) {
                    missing.add(ROOT.relativize(page) + ": " + names.group(1));
                }
            }
        }
        return missing;
    }

    @Test
    void links_leadToFiles() throws IOException {
        assertThat(pages).hasSizeGreaterThan(10);
        assertThat(missing(LINK, (page, link) -> Files.exists(page.resolveSibling(link))))
                .isEmpty();
    }

    /** Anchors are derived from headings as on GitHub. */
    @Test
    void anchors_leadToHeadings() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path page : pages) {
            Matcher anchors = ANCHOR.matcher(Files.readString(page));
            while (anchors.find()) {
                Path target = anchors.group(1).isEmpty() ? page : page.resolveSibling(anchors.group(1));
                if (!headings(target).contains(anchors.group(2))) {
                    missing.add(ROOT.relativize(page) + ": " + anchors.group());
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private static Set<String> headings(Path page) throws IOException {
        return HEADING.matcher(BLOCK.matcher(Files.readString(page)).replaceAll(""))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w\\- ]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    /** GitHub shows a table as text if its separator has fewer cells than its header. */
    @Test
    void tables_haveASeparatorAsWideAsTheirHeader() throws IOException {
        List<String> narrow = new ArrayList<>();
        for (Path page : pages) {
            Matcher tables = TABLE.matcher(Files.readString(page));
            while (tables.find()) {
                String header = CODE.matcher(tables.group(1)).replaceAll("").replace("\\|", "");
                if (bars(header) != bars(tables.group(2))) {
                    narrow.add(ROOT.relativize(page) + ": " + header);
                }
            }
        }
        assertThat(narrow).isEmpty();
    }

    private static long bars(String line) {
        return line.chars().filter(c -> c == '|').count();
    }

    /** Tests of drivers are excluded. */
    @Test
    void tests_thatPagesName_exist() throws IOException {
        Set<String> tests = FILES.stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(".java"))
                .map(name -> name.substring(0, name.length() - ".java".length()))
                .collect(Collectors.toSet());
        assertThat(missing(TEST, (page, test) -> tests.contains(test) || page.endsWith("docs/driver-suites.md")))
                .isEmpty();
    }

    /**
     * Classes exist, and a member that is named with a class is in its source. The page of drivers'
     * suites names classes of the drivers.
     */
    @Test
    void classes_thatPagesName_exist() throws IOException {
        Map<String, List<String>> sources = new HashMap<>();
        for (Path file : FILES) {
            if (file.toString().endsWith(".java")) {
                String source = Files.readString(file);
                Matcher declared = DECLARED.matcher(source);
                while (declared.find()) {
                    sources.computeIfAbsent(declared.group(1), name -> new ArrayList<>())
                            .add(source);
                }
            }
        }
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (Path page : pages) {
            if (page.endsWith("docs/driver-suites.md")) {
                continue;
            }
            Matcher names = TYPE.matcher(BLOCK.matcher(Files.readString(page)).replaceAll(""));
            while (names.find()) {
                String member = names.group(2) == null ? "" : names.group(2);
                boolean there = sources.getOrDefault(names.group(1), List.of()).stream()
                        .anyMatch(source -> source.contains(member));
                named++;
                if (!there && !NOT_OURS.contains(names.group(1))) {
                    missing.add(ROOT.relativize(page) + ": " + names.group());
                }
            }
        }
        assertThat(named).isGreaterThan(100);
        assertThat(missing).isEmpty();
    }

    /** Packages are compared by their last name; a module's first package has the module's name. */
    @Test
    void packages_haveARowInThePageOfTheirModule() throws IOException {
        Map<Path, List<Path>> packages = packagesOfModules();
        assertThat(packages).hasSizeGreaterThan(6);
        List<String> missing = new ArrayList<>();
        for (Map.Entry<Path, List<Path>> module : packages.entrySet()) {
            Path page = module.getKey().resolve("README.md");
            String text =
                    Files.readString(Files.exists(page) ? page : module.getKey().resolveSibling("README.md"));
            module.getValue().stream()
                    .sorted()
                    .skip(1)
                    .filter(folder -> !Pattern.compile("(?m)^\\|.*`[a-z.]*\\b" + folder.getFileName() + "`")
                            .matcher(text)
                            .find())
                    .forEach(folder -> missing.add(ROOT.relativize(folder).toString()));
        }
        assertThat(missing).isEmpty();
    }

    /**
     * The table of the gateway's page lists the imports of each package. The program's own package
     * may import any.
     */
    @Test
    void packagesOfTheGateway_importWhatTheirPageSays() throws IOException {
        Map<String, Set<String>> imports = new TreeMap<>();
        for (Path file : FILES) {
            Matcher folder = PACKAGE_OF_GATEWAY.matcher(file.toString());
            if (folder.find()) {
                String own = folder.group(1).replace('/', '.');
                Set<String> read = imports.computeIfAbsent(own, name -> new TreeSet<>());
                IMPORT.matcher(Files.readString(file))
                        .results()
                        .map(found -> found.group(1))
                        .filter(name -> !name.equals(own))
                        .forEach(read::add);
            }
        }
        Map<String, Set<String>> told = new TreeMap<>();
        Matcher rows = PACKAGE_ROW.matcher(Files.readString(ROOT.resolve("gateway/README.md")));
        while (rows.find()) {
            told.put(
                    rows.group(1),
                    NAME.matcher(rows.group(2))
                            .results()
                            .map(found -> found.group(1))
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
        told.remove(".");
        assertThat(told).isEqualTo(imports);
    }

    private static Map<Path, List<Path>> packagesOfModules() {
        return FILES.stream()
                .filter(file ->
                        file.endsWith("package-info.java") && file.toString().contains("/src/main/java/"))
                .map(Path::getParent)
                .collect(Collectors.groupingBy(folder -> {
                    String path = folder.toString();
                    return Path.of(path.substring(0, path.indexOf("/src/main/java/")));
                }));
    }
}
