package org.keyline.gateway.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.keyline.gateway.units.Units;
import org.keyline.planner.FilterReads;
import org.keyline.protocol.transport.Networks;
import org.keyline.protocol.transport.Transport;

/**
 * The type of a key's value. It parses the text of the value, and describes the valid values.
 *
 * @param label placeholder for the value in the help of the command line
 * @param expected type, unit and range in words, for error messages and the reference page
 */
public record ValueType<T>(String label, String expected, Reader<T> reader) {
    private static final long LEAST_ENGINE_BYTES = 64 << 20;
    private static final long MAX_SERVER_ID = 0xFFFF_FFFFL;
    private static final int MAX_KEY_COLUMNS = 64;
    private static final Pattern HOST = Pattern.compile("\\*|[A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]+]");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Reads a text, or throws {@link IllegalArgumentException} or {@link ArithmeticException}. */
    interface Reader<T> {
        T read(String text, Machine machine);
    }

    /**
     * The size of the machine, on which some defaults and limits depend.
     *
     * @param heapBytes the heap's maximum
     */
    record Machine(long heapBytes, int processors) {}

    static ValueType<String> text() {
        return of("TEXT", "text", Function.identity());
    }

    /** Returns the type of a list of user names. {@code *} means all users. */
    static ValueType<Set<String>> accounts() {
        return of("NAME,NAME|*", "names separated by commas, or *", ValueType::names);
    }

    private static Set<String> names(String text) {
        return Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the type of host names in HTTP requests, without a port. {@code *} means all. */
    static ValueType<Set<String>> hosts() {
        return of("HOST,HOST|*", "names of hosts separated by commas, or *", text -> {
            Set<String> hosts = names(text);
            require(hosts.stream().allMatch(host -> HOST.matcher(host).matches()));
            return hosts;
        });
    }

    static ValueType<Secret> secret() {
        return of("SECRET", "text", Secret::new);
    }

    /** Returns the type of a 256-bit key. The empty text means no key. */
    static ValueType<Secret> cipherKey() {
        return of("SECRET", "64 hexadecimal digits", text -> {
            require(text.isEmpty() || text.matches("[0-9a-fA-F]{64}"));
            return new Secret(text);
        });
    }

    static ValueType<Boolean> flag() {
        return of("on|off", "true or false", text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "on" -> true;
            case "false", "off" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        });
    }

    static ValueType<FilterReads> filterReads() {
        return of("equal|true|false", "equal, true or false", text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "equal" -> FilterReads.EQUAL;
            case "true", "on" -> FilterReads.ALL;
            case "false", "off" -> FilterReads.OFF;
            default -> throw new IllegalArgumentException("neither equal, true nor false");
        });
    }

    static String nameOf(FilterReads reads) {
        return switch (reads) {
            case EQUAL -> "equal";
            case ALL -> "true";
            case OFF -> "false";
        };
    }

    static ValueType<Integer> integer(int min, int max) {
        return of("NUMBER", "a whole number, " + min + ".." + max, text -> {
            int number = Integer.parseInt(text);
            require(number >= min && number <= max);
            return number;
        });
    }

    static ValueType<Long> serverId() {
        return of("NUMBER", "a whole number, 1.." + MAX_SERVER_ID, text -> {
            long id = Long.parseLong(text);
            require(id >= 1 && id <= MAX_SERVER_ID);
            return id;
        });
    }

    static ValueType<Duration> duration(Duration min, Duration max) {
        String expected = "a duration with a unit ms, s, m or h, " + Units.format(min) + ".." + Units.format(max);
        return of("DURATION", expected, text -> {
            Duration duration = Units.duration(text);
            require(duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0);
            return duration;
        });
    }

    static ValueType<Optional<Duration>> durationOrOff(Duration min, Duration max) {
        ValueType<Duration> some = duration(min, max);
        return new ValueType<>(
                some.label() + "|off",
                some.expected() + ", or off",
                (text, machine) -> text.equals("off")
                        ? Optional.empty()
                        : Optional.of(some.reader().read(text, machine)));
    }

    static ValueType<Integer> bytes(int min, int max) {
        String expected = "a size with a unit B, KiB, MiB or GiB, " + Units.format(min) + ".." + Units.format(max);
        return of("SIZE", expected, text -> {
            long bytes = Units.bytes(text);
            require(bytes >= min && bytes <= max);
            return (int) bytes;
        });
    }

    /** Returns the type of a size in bytes, or as a share of the heap in per cent. */
    static ValueType<Long> heapShare(long min) {
        String expected = "1%..80% of the heap, or a size with a unit B, KiB, MiB or GiB from " + Units.format(min)
                + " up to the heap's maximum";
        return new ValueType<>("SIZE|SHARE", expected, (text, machine) -> {
            if (!text.endsWith("%")) {
                long bytes = Units.bytes(text);
                require(bytes >= min && bytes <= machine.heapBytes());
                return bytes;
            }
            int percent = Integer.parseInt(text.substring(0, text.length() - 1).trim());
            require(percent >= 1 && percent <= 80);
            return machine.heapBytes() / 100 * percent;
        });
    }

    /** Returns the type of the embedded engine's memory in bytes. The value 0 means auto. */
    static ValueType<Long> engineMemory() {
        String expected = "auto, or a size with a unit MiB or GiB, from " + Units.format(LEAST_ENGINE_BYTES);
        return of("SIZE|auto", expected, text -> {
            long bytes = text.equals("auto") ? 0 : Units.bytes(text);
            require(bytes == 0 || bytes >= LEAST_ENGINE_BYTES);
            return bytes;
        });
    }

    static ValueType<String> oneOf(String... texts) {
        return of(String.join("|", texts), String.join(", ", texts), text -> {
            require(Set.of(texts).contains(text));
            return text;
        });
    }

    /** Returns the type of an enum's constants, by their names in lower case. */
    static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
        List<String> names =
                Arrays.stream(type.getEnumConstants()).map(ValueType::nameOf).toList();
        return of(String.join("|", names), String.join(", ", names), text -> {
            int index = names.indexOf(text.toLowerCase(Locale.ROOT));
            require(index >= 0);
            return type.getEnumConstants()[index];
        });
    }

    /** Returns the type of socket implementations. Refuses those that this machine lacks. */
    static ValueType<Transport> transport() {
        ValueType<Transport> any = choice(Transport.class);
        return new ValueType<>(any.label(), any.expected(), (text, machine) -> {
            Transport transport = any.reader().read(text, machine);
            Throwable cause = transport.unavailabilityCause();
            if (cause != null) {
                throw new Refusal("one that works here: " + cause.getMessage());
            }
            return transport;
        });
    }

    static ValueType<HostPort> address() {
        return of("HOST:PORT", "HOST:PORT", HostPort::parse);
    }

    static ValueType<Optional<HostPort>> addressOrOff() {
        return of(
                "HOST:PORT|off",
                "HOST:PORT or off",
                text -> text.equals("off") ? Optional.empty() : Optional.of(HostPort.parse(text)));
    }

    static ValueType<Networks> networks() {
        return of("NETWORKS", "none, or IP addresses and networks such as 10.0.0.0/8, with commas", Networks::parse);
    }

    static ValueType<String> storeUrl() {
        return of("URL", "duckdb:FILE, duckdb:memory or mysql://HOST[:PORT][,HOST[:PORT]…] (port 3306)", text -> {
            if (text.startsWith(GatewayConfig.MYSQL)) {
                requireServers(GatewayConfig.addresses(text));
            } else {
                require(text.startsWith("duckdb:") && text.length() > "duckdb:".length());
            }
            return text;
        });
    }

    static ValueType<String> tierUrl() {
        return of("URL", "redis://HOST[:PORT][,HOST[:PORT]…] (port 6379), or rediss:// for TLS", text -> {
            require(text.startsWith(GatewayConfig.REDIS) || text.startsWith(GatewayConfig.REDISS));
            requireServers(GatewayConfig.addresses(text));
            return text;
        });
    }

    private static void requireServers(List<HostPort> addresses) {
        for (HostPort address : addresses) {
            require(address.host().indexOf('@') < 0 && address.host().indexOf('/') < 0);
            require(address.port() > 0);
        }
        require(Set.copyOf(addresses).size() == addresses.size());
    }

    /** Returns the type of names with a restricted set of characters. */
    static ValueType<String> name() {
        return of("NAME", "1..64 letters, digits, dots, dashes or underscores", text -> {
            require(NAME.matcher(text).matches());
            return text;
        });
    }

    /** Returns the type of a list of gateways' names and addresses. */
    static ValueType<GatewayConfig.Members> members() {
        return of(
                "NAME=HOST:PORT,NAME=HOST:PORT",
                "a name and an address of each gateway, such as a=10.0.0.1:3307,b=10.0.0.2:3307",
                text -> {
                    List<GatewayConfig.Member> members = Arrays.stream(text.split(",", -1))
                            .map(String::strip)
                            .map(ValueType::member)
                            .toList();
                    require(members.stream()
                                    .map(GatewayConfig.Member::name)
                                    .distinct()
                                    .count()
                            == members.size());
                    requireServers(
                            members.stream().map(GatewayConfig.Member::address).toList());
                    return new GatewayConfig.Members(members);
                });
    }

    private static GatewayConfig.Member member(String text) {
        int equals = text.indexOf('=');
        require(equals > 0 && NAME.matcher(text.substring(0, equals)).matches());
        return new GatewayConfig.Member(text.substring(0, equals), HostPort.parse(text.substring(equals + 1)));
    }

    static ValueType<Path> readableFile(String kind) {
        return of("FILE", "a readable " + kind, text -> {
            require(!text.isEmpty());
            try {
                Path path = Path.of(text);
                require(Files.isReadable(path));
                return path;
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException(e);
            }
        });
    }

    /** Returns the type of an output file, which may not exist yet. */
    static ValueType<Path> writtenFile() {
        return of("FILE", "a file in a directory that exists", text -> {
            require(!text.isEmpty());
            try {
                Path path = Path.of(text).toAbsolutePath();
                Path directory = path.getParent();
                require(directory != null && Files.isDirectory(directory) && !Files.isDirectory(path));
                return path;
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException(e);
            }
        });
    }

    static ValueType<Granularity> granularity() {
        return of(
                "full|auto|NUMBER",
                "full, auto or a number of key columns, 0.." + MAX_KEY_COLUMNS,
                text -> switch (text) {
                    case "full" -> Granularity.FULL;
                    case "auto" -> Granularity.AUTO;
                    default -> {
                        int columns = Integer.parseInt(text);
                        require(columns <= MAX_KEY_COLUMNS);
                        yield Granularity.prefix(columns);
                    }
                });
    }

    static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static <T> ValueType<T> of(String label, String expected, Function<String, T> read) {
        return new ValueType<>(label, expected, (text, machine) -> read.apply(text));
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalArgumentException("out of range");
        }
    }

    /** Thrown for an invalid value whose reason replaces {@link #expected} in the message. */
    static final class Refusal extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        private Refusal(String expected) {
            super(expected);
        }

        String expected() {
            return String.valueOf(getMessage());
        }
    }
}
