package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the pages point at is there: files that they link, tests that they say hold a promise, and classes that they name. */
final class PagesTest {
    private static final Path ROOT = RepositoryFiles.ROOT;
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:\\s]+)(?:#[^)]*)?\\)");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*[a-z](?:Test|IT|Contract))(?:#\\w+…?)?`");

    private static final Pattern BLOCK = Pattern.compile("(?s)```.*?```");
    private static final Pattern TYPE =
            Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:[.#](\\w+))?…?(?:\\(\\))?`");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
    /** Names in pages that look like a class of ours: one of Netty's, one of the JDK's, settings and words of others. */
    private static final Set<String> NOT_OURS = Set.of("EmbeddedChannel", "ByteBuffer", "ListenStream", "Return", "Tx");

    private static final List<Path> FILES = new ArrayList<>();
    private static List<Path> pages;

    @BeforeAll
    static void find() throws IOException {
        FILES.addAll(RepositoryFiles.all());
        pages = FILES.stream().filter(file -> file.toString().endsWith(".md")).toList();
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

    /** But for tests of drivers, which are not ours. */
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

    /** A class, and where one is named with it, a member that stands in its source. Names in the page of drivers' suites are theirs. */
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
}
