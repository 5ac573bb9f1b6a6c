package org.keyline.gateway.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    static final String SECRET = "SECRET";

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

    /** Returns the type of host names in HTTP requests, without a port. {@code *} means all. */
    static ValueType<Set<String>> hosts() {
        return of("HOST,HOST|*", "names of hosts separated by commas, or *", text -> {
            Set<String> hosts = names(text);
            return valid(
                    hosts, hosts.stream().allMatch(host -> HOST.matcher(host).matches()));
        });
    }

    private static Set<String> names(String text) {
        return Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    static ValueType<Secret> secret() {
        return of(SECRET, "text", Secret::new);
    }

    /** Returns the type of a 256-bit key. The empty text means no key. */
    static ValueType<Secret> cipherKey() {
        return of(
                SECRET,
                "64 hexadecimal digits",
                text -> valid(new Secret(text), text.isEmpty() || text.matches("[0-9a-fA-F]{64}")));
    }

    static ValueType<Boolean> flag() {
        Map<String, Boolean> words = Map.of("true", true, "on", true, "false", false, "off", false);
        return of("on|off", "true or false", text -> word(text, words));
    }

    static ValueType<FilterReads> filterReads() {
        Map<String, FilterReads> words = Map.of(
                "equal", FilterReads.EQUAL,
                "true", FilterReads.ALL,
                "on", FilterReads.ALL,
                "false", FilterReads.OFF,
                "off", FilterReads.OFF);
        return of("equal|true|false", "equal, true or false", text -> word(text, words));
    }

    /** Returns the type of two words, of which {@code yes} means true. */
    static ValueType<Boolean> either(String yes, String no) {
        return of(yes + "|" + no, yes + ", " + no, text -> word(text, Map.of(yes, true, no, false)));
    }

    /** Returns the type of an enum's constants, by their names in lower case. */
    static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
        E[] constants = type.getEnumConstants();
        List<String> names = Arrays.stream(constants).map(ValueType::nameOf).toList();
        Map<String, E> words = Arrays.stream(constants).collect(Collectors.toMap(ValueType::nameOf, each -> each));
        return of(String.join("|", names), String.join(", ", names), text -> word(text, words));
    }

    static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static <T> T word(String text, Map<String, T> words) {
        T value = words.get(text.toLowerCase(Locale.ROOT));
        if (value == null) {
            throw new IllegalArgumentException("unknown word");
        }
        return value;
    }

    static ValueType<Integer> integer(int min, int max) {
        return of("NUMBER", "a whole number, " + min + ".." + max, text -> within(Integer.valueOf(text), min, max));
    }

    static ValueType<Duration> duration(String min, String max) {
        return of(
                "DURATION",
                "a duration with a unit ms, s, m or h, " + min + ".." + max,
                text -> within(Units.duration(text), Units.duration(min), Units.duration(max)));
    }

    static ValueType<Integer> bytes(String min, String max) {
        return of("SIZE", "a size with a unit B, KiB, MiB or GiB, " + min + ".." + max, text ->
                (int) (long) within(Units.bytes(text), Units.bytes(min), Units.bytes(max)));
    }

    /** Returns the type of a size in bytes, or as a share of the heap in per cent. */
    static ValueType<Long> heapShare(String min) {
        String expected = "1%..80% of the heap, or a size with a unit B, KiB, MiB or GiB from " + min
                + " up to the heap's maximum";
        return new ValueType<>("SIZE|SHARE", expected, (text, machine) -> {
            if (!text.endsWith("%")) {
                return within(Units.bytes(text), Units.bytes(min), machine.heapBytes());
            }
            String percent = text.substring(0, text.length() - 1).trim();
            return machine.heapBytes() / 100 * within(Integer.valueOf(percent), 1, 80);
        });
    }

    /** Returns the type of the embedded engine's memory in bytes. The value 0 means auto. */
    static ValueType<Long> engineMemory() {
        return of(
                "SIZE|auto",
                "auto, or a size with a unit MiB or GiB, from 64 MiB",
                text -> text.equals("auto") ? (Long) 0L : within(Units.bytes(text), 64L << 20, Long.MAX_VALUE));
    }

    /** Returns a type that also has the word {@code off}, for no value. */
    static <T> ValueType<Optional<T>> orOff(ValueType<T> type, String expected) {
        return new ValueType<>(
                type.label + "|off",
                expected,
                (text, machine) ->
                        text.equals("off") ? Optional.empty() : Optional.of(type.reader.read(text, machine)));
    }

    static ValueType<Optional<Duration>> durationOrOff(String min, String max) {
        ValueType<Duration> type = duration(min, max);
        return orOff(type, type.expected + ", or off");
    }

    /** Returns the type of socket implementations. Refuses those that this machine lacks. */
    static ValueType<Transport> transport() {
        ValueType<Transport> any = choice(Transport.class);
        return new ValueType<>(any.label, any.expected, (text, machine) -> {
            Transport transport = any.reader.read(text, machine);
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

    static ValueType<Networks> networks() {
        return of("NETWORKS", "none, or IP addresses and networks such as 10.0.0.0/8, with commas", Networks::parse);
    }

    static ValueType<String> storeUrl() {
        return of(
                "URL",
                "duckdb:FILE, duckdb:memory or mysql://HOST[:PORT][,HOST[:PORT]…] (port 3306)",
                text -> valid(
                        text,
                        text.startsWith(GatewayConfig.MYSQL)
                                ? areServers(GatewayConfig.addresses(text))
                                : text.startsWith("duckdb:") && text.length() > "duckdb:".length()));
    }

    static ValueType<String> tierUrl() {
        return of(
                "URL",
                "redis://HOST[:PORT][,HOST[:PORT]…] (port 6379), or rediss:// for TLS",
                text -> valid(
                        text,
                        (text.startsWith("redis://") || text.startsWith(GatewayConfig.REDISS))
                                && areServers(GatewayConfig.addresses(text))));
    }

    private static boolean areServers(List<HostPort> addresses) {
        return Set.copyOf(addresses).size() == addresses.size()
                && addresses.stream()
                        .allMatch(address -> address.host().indexOf('@') < 0
                                && address.host().indexOf('/') < 0
                                && address.port() > 0);
    }

    /** Returns the type of names with a restricted set of characters. */
    static ValueType<String> name() {
        return of(
                "NAME",
                "1..64 letters, digits, dots, dashes or underscores",
                text -> valid(text, NAME.matcher(text).matches()));
    }

    /** Returns the type of a list of gateways' names and addresses. */
    static ValueType<List<GatewayConfig.Member>> members() {
        String expected = "a name and an address of each gateway, such as a=10.0.0.1:3307,b=10.0.0.2:3307";
        return of("NAME=HOST:PORT,NAME=HOST:PORT", expected, text -> {
            List<GatewayConfig.Member> members = Arrays.stream(text.split(",", -1))
                    .map(each -> each.strip().split("=", 2))
                    .map(each -> new GatewayConfig.Member(each[0], HostPort.parse(each[each.length - 1])))
                    .toList();
            return valid(
                    members,
                    members.stream()
                                    .allMatch(member ->
                                            NAME.matcher(member.name()).matches())
                            && members.stream()
                                            .map(GatewayConfig.Member::name)
                                            .distinct()
                                            .count()
                                    == members.size()
                            && areServers(members.stream()
                                    .map(GatewayConfig.Member::address)
                                    .toList()));
        });
    }

    static ValueType<Path> readableFile(String kind) {
        return of(
                "FILE",
                "a readable " + kind,
                text -> valid(Path.of(text), !text.isEmpty() && Files.isReadable(Path.of(text))));
    }

    /** Returns the type of an output file, which may not exist yet. */
    static ValueType<Path> writtenFile() {
        return of("FILE", "a file in a directory that exists", text -> {
            Path path = Path.of(text).toAbsolutePath();
            Path directory = path.getParent();
            return valid(path, directory != null && Files.isDirectory(directory) && !Files.isDirectory(path));
        });
    }

    static ValueType<Granularity> granularity() {
        return of("full|auto|NUMBER", "full, auto or a number of key columns, 0..64", text -> switch (text) {
            case "full" -> Granularity.FULL;
            case "auto" -> Granularity.AUTO;
            default -> new Granularity(within(Integer.valueOf(text), 0, 64));
        });
    }

    private static <T> ValueType<T> of(String label, String expected, Function<String, T> read) {
        return new ValueType<>(label, expected, (text, machine) -> read.apply(text));
    }

    private static <C extends Comparable<C>> C within(C value, C min, C max) {
        return valid(value, value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
    }

    private static <T> T valid(T value, boolean condition) {
        if (!condition) {
            throw new IllegalArgumentException("out of range");
        }
        return value;
    }

    /** Thrown for an invalid value whose reason replaces {@link #expected} in the message. */
    static final class Refusal extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        private Refusal(String expected) {
            super(expected);
        }
    }
}
