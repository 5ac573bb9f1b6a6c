package org.keyline.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * This machine's file system with a layer above it that takes all changes and is deleted at the
 * end. Packages can be installed in it for real. It has no running systemd. Requires root's rights.
 * Not thread-safe.
 */
final class Machine implements AutoCloseable {
    /** Only its own processes see its mounts, which end with the last of them. */
    private static final String MOUNT = """
            set -e
            mount -t tmpfs tmpfs "$1"
            mkdir "$1/changes" "$1/work" "$1/root"
            mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
            mount --rbind /dev "$1/root/dev"
            mount -t proc proc "$1/root/proc"
            mount -t tmpfs tmpfs "$1/root/run"
            mount -t tmpfs -o mode=1777 tmpfs "$1/root/tmp"
            echo mounted
            exec sleep infinity
            """;

    private static final long TIMEOUT_SECONDS = 120;

    private final Process holder;
    private final Path root;

    private Machine(Process holder, Path root) {
        this.holder = holder;
        this.root = root;
    }

    /** Returns a machine; empty if the rights for mounting are missing. */
    static Optional<Machine> start(Path directory) throws IOException {
        Process holder = new ProcessBuilder("unshare", "--mount", "sh", "-c", MOUNT, "sh", directory.toString())
                .redirectErrorStream(true)
                .start();
        String first = holder.inputReader(UTF_8).readLine();
        if (!"mounted".equals(first)) {
            holder.destroyForcibly();
            return Optional.empty();
        }
        return Optional.of(new Machine(holder, directory.resolve("root")));
    }

    /** Starts a command on it, with both outputs merged. */
    Process start(String... command) throws IOException {
        List<String> line = new ArrayList<>(
                List.of("nsenter", "--mount", "--target", Long.toString(holder.pid()), "chroot", root.toString()));
        line.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        builder.environment().remove("JAVA_HOME");
        return builder.start();
    }

    /** Runs a command to its end, and returns its output. */
    String run(String... command) throws IOException, InterruptedException {
        Process process = start(command);
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError(String.join(" ", command) + ": " + output);
        }
        return output;
    }

    /** Copies a file into it. */
    void put(Path file, String to) throws IOException, InterruptedException {
        Path inside = Path.of("/proc", Long.toString(holder.pid()), "root", root.toString(), to);
        Files.copy(file, inside, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() {
        holder.destroy();
        holder.onExit().join();
    }
}
