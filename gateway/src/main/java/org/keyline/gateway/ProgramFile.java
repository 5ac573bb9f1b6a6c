package org.keyline.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.CodeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.log.FatalErrors.Fatal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that this program runs from. The virtual machine reads classes from it as they are needed. Another file that takes its name, by a
 * rename, is of no concern: the one that was opened stays until nobody has it open. One that is written into gives no further class.
 * Thread-safe.
 */
final class ProgramFile {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramFile.class);
    private static final long PERIOD_MS = 1_000;

    /** Of the end of a jar, which has the checksums of its entries. */
    private static final int TAIL_BYTES = 1 << 20;

    private final Path path;
    private final @Nullable BasicFileAttributes opened;
    private final byte[] tail;

    private ProgramFile(Path path, @Nullable BasicFileAttributes opened, byte[] tail) {
        this.path = path;
        this.opened = opened;
        this.tail = tail;
    }

    /** That of this process, as it is now: to be called first of all. */
    static ProgramFile own() {
        try {
            CodeSource source = ProgramFile.class.getProtectionDomain().getCodeSource();
            Path path = Path.of(source.getLocation().toURI());
            if (!Files.isRegularFile(path)) {
                return new ProgramFile(path, null, new byte[0]);
            }
            openForResources();
            return of(path);
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException("the program's own file cannot be read", e);
        }
    }

    static ProgramFile of(Path path) throws IOException {
        return new ProgramFile(path, Files.readAttributes(path, BasicFileAttributes.class), tail(path));
    }

    private static byte[] tail(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] bytes = new byte[(int) Math.min(TAIL_BYTES, file.length())];
            file.seek(file.length() - bytes.length);
            file.readFully(bytes);
            return bytes;
        }
    }

    /** The virtual machine opens the file a second time for the first resource that is read, and keeps it open for all others. */
    private static void openForResources() throws IOException {
        URL own = ProgramFile.class.getResource(ProgramFile.class.getSimpleName() + ".class");
        try (InputStream resource = Objects.requireNonNull(own).openStream()) {
            int unused = resource.read();
        }
    }

    /** Whether it is still the same file, and has other content. Another time alone, as {@code touch} gives it, is none. */
    boolean isOverwritten() {
        BasicFileAttributes before = opened;
        if (before == null) {
            // Classes in a directory, as tests have them.
            return false;
        }
        try {
            BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
            boolean same = Objects.equals(now.fileKey(), before.fileKey());
            boolean written = now.size() != before.size()
                    || (!now.lastModifiedTime().equals(before.lastModifiedTime()) && !Arrays.equals(tail(path), tail));
            return same && written;
        } catch (IOException gone) {
            // What has no name any more cannot be written to by it.
            return false;
        }
    }

    /**
     * Looks at it once a second from now on. When it is overwritten the process drains, and ends with {@link Fatal#PROGRAM}.
     *
     * @param drain ends the process; what it takes may fail to load
     * @param patience how long that may take
     */
    void watch(Runnable drain, Supplier<Duration> patience) {
        if (opened == null) {
            return;
        }
        // Made ahead, like all that is needed here when classes can't be loaded any more.
        Thread draining = daemon(drain, "keyline-overwritten");
        daemon(
                        () -> {
                            try {
                                while (!isOverwritten()) {
                                    TimeUnit.MILLISECONDS.sleep(PERIOD_MS);
                                }
                                LOG.error(
                                        "{} was overwritten while this process runs from it, so that classes cannot be"
                                                + " loaded any more: it drains and ends with status {}. Replace the"
                                                + " file by a rename (mv), which a running process does not notice.",
                                        path,
                                        Fatal.PROGRAM.status());
                                draining.start();
                                draining.join(patience.get().toMillis());
                            } catch (InterruptedException e) {
                                // Nobody interrupts it.
                                Thread.currentThread().interrupt();
                            } finally {
                                Runtime.getRuntime().halt(Fatal.PROGRAM.status());
                            }
                        },
                        "keyline-program-file")
                .start();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
