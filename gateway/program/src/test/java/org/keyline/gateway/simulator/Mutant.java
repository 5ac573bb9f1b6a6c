package org.keyline.gateway.simulator;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * An intentional bug: a class of the gateway in whose source one text is replaced by another. It is
 * compiled in memory and loaded by a separate class loader, with all of Keyline's classes, so
 * nothing else is affected.
 *
 * @param source the class's file, below the sources of its module
 * @param text occurs once in it
 */
public record Mutant(String name, String source, String text, String instead) {
    private static final String OURS = "org.keyline.";

    /** Reads a mutant from the lines of a block; {@code mutants.txt} explains them. */
    public static Mutant of(List<String> block) {
        return new Mutant(
                value(block, "mutant: "),
                "org/keyline/" + value(block, "class: ") + ".java",
                value(block, "-|"),
                value(block, "+|"));
    }

    /** Returns the rest of the lines with this beginning. */
    public static String value(List<String> block, String begin) {
        return block.stream()
                .filter(line -> line.startsWith(begin))
                .map(line -> line.substring(begin.length()))
                .collect(Collectors.joining("\n"));
    }

    /** Runs the history of a seed with the bug; returns the violation, or nothing. */
    LongFunction<String> histories() {
        try {
            Object run = load(OURS + "gateway.simulator.MutantRun")
                    .getDeclaredConstructor()
                    .newInstance();
            @SuppressWarnings("unchecked") // known by its name
            LongFunction<String> histories = (LongFunction<String>) run;
            return histories;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no mutant: " + name, e);
        }
    }

    /** Loads a class that uses classes with the bug. */
    public Class<?> load(String type) throws ClassNotFoundException {
        try {
            return new Loader(compiled()).loadClass(type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, byte[]> compiled() throws IOException {
        String original = Files.readString(file());
        int at = original.indexOf(text);
        if (at < 0 || original.indexOf(text, at + 1) >= 0) {
            throw new AssertionError(
                    source + " does not have this once, which the mutant \"" + name + "\" replaces: " + text);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                InMemory classes = new InMemory(files)) {
            boolean compiled = compiler.getTask(
                            said,
                            classes,
                            null,
                            List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path", "")),
                            null,
                            List.of(new Source(source, original.replace(text, instead))))
                    .call();
            if (!compiled) {
                throw new AssertionError("the mutant \"" + name + "\" does not compile: " + said);
            }
            return classes.bytes();
        }
    }

    private Path file() throws IOException {
        try (Stream<Path> folders = Files.walk(Path.of("..", ".."), 2)) {
            return folders.map(module -> module.resolve("src/main/java").resolve(source))
                    .filter(Files::exists)
                    .findAny()
                    .orElseThrow(() -> new NoSuchFileException(source));
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String path, String text) {
            super(URI.create("mutant:///" + path), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Stores the compiler's output. */
    private static final class InMemory extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> written = new HashMap<>();

        InMemory(StandardJavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mutant:///" + className), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return written.computeIfAbsent(className, name -> new ByteArrayOutputStream());
                }
            };
        }

        Map<String, byte[]> bytes() {
            Map<String, byte[]> bytes = new HashMap<>();
            written.forEach((name, out) -> bytes.put(name, out.toByteArray()));
            return bytes;
        }
    }

    /** Defines Keyline's classes again, and delegates all others to its parent. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> mutated;

        Loader(Map<String, byte[]> mutated) {
            super(Mutant.class.getClassLoader());
            this.mutated = mutated;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = mutated.get(name);
            if (bytes == null) {
                try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (in == null) {
                        throw new ClassNotFoundException(name);
                    }
                    bytes = in.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
