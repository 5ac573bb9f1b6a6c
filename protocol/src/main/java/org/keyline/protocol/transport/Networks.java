package org.keyline.protocol.transport;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A set of networks such as {@code 10.1.0.0/16, fd00::/8, 192.168.7.4}. Immutable. */
public final class Networks {
    public static final Networks NONE = new Networks("none", List.of());

    private final String text;
    private final List<IpSubnetFilterRule> rules;

    private Networks(String text, List<IpSubnetFilterRule> rules) {
        this.text = text;
        this.rules = List.copyOf(rules);
    }

    /**
     * Parses a comma-separated list of addresses and networks in CIDR notation; {@code none} is the
     * empty set.
     *
     * @throws IllegalArgumentException if an element is neither an address nor a network; host
     *     names are not resolved
     */
    public static Networks parse(String text) {
        if (text.equals("none")) {
            return NONE;
        }
        List<IpSubnetFilterRule> rules = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            rules.add(rule(each.trim()));
        }
        return new Networks(text, rules);
    }

    private static IpSubnetFilterRule rule(String network) {
        int slash = network.indexOf('/');
        String address = slash < 0 ? network : network.substring(0, slash);
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        if (bytes == null) {
            throw new IllegalArgumentException("not an IP address: " + address);
        }
        int most = bytes.length * Byte.SIZE;
        int bits = slash < 0 ? most : Integer.parseInt(network.substring(slash + 1));
        if (bits < 0 || bits > most) {
            throw new IllegalArgumentException("bits of a network: " + bits + " (expected: 0.." + most + ")");
        }
        return new IpSubnetFilterRule(address, bits, IpFilterRuleType.ACCEPT);
    }

    /** Returns whether an address is in one of the networks; false if it is not an IP address. */
    public boolean contains(SocketAddress address) {
        if (address instanceof InetSocketAddress socket && !socket.isUnresolved()) {
            for (IpSubnetFilterRule rule : rules) {
                if (rule.matches(socket)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return text;
    }
}
